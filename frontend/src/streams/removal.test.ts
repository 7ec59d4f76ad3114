import { describe, expect, it } from "vitest";
import type { Removal } from "../core/api/streams";
import { describeConsent, describeConsequences, formatRetention, describeRefusal } from "./removal";

const NOTHING: Removal = {
  events: 0,
  bytes: 0,
  rejected: 0,
  plans: [],
  nodes: 0,
  sinks: 0,
  dashboards: [],
  has_source: false,
  stops: 0,
  may_stop: true,
  kept_seconds: 86_400,
};
const PLAN = {
  id: 1,
  name: "CIRR",
  owner: "ada",
  owner_kind: "person",
  running: true,
  may_stop: true,
} as const;

describe("what emptying or deleting causes", () => {
  it("says what is stored and for how long it can be restored", () => {
    expect(describeConsequences({ ...NOTHING, events: 1_200, bytes: 4_096, rejected: 1 }, "empty")).toEqual([
      "1,200 events (4.1 kB) and 1 rejected event move to the trash.",
      "You can restore the events for 1 day.",
    ]);
  });
  it("says what reads it", () => {
    const read = { ...NOTHING, nodes: 2, sinks: 1, dashboards: [{ id: 1, name: "Wall" }], has_source: true };
    expect(describeConsequences(read, "delete")).toEqual([
      "It holds no events.",
      "2 nodes computed from it and 1 sink get no more events.",
      "Dashboards that show its results: “Wall”.",
      "Its source is paused.",
      "You can restore the stream for 1 day. Its name is free at once.",
    ]);
  });
  it("asks for consent where plans run", () => {
    expect(describeConsent(NOTHING)).toBeNull();
    expect(describeConsent({ ...NOTHING, stops: 2 })).toBe("Stop 2 running plans that read it");
  });
  it("is refused where a plan may not be stopped, and says whom to ask", () => {
    expect(describeRefusal({ ...NOTHING, plans: [PLAN] })).toBeNull();
    const others = [PLAN, { ...PLAN, name: "a plan", owner: "bob", may_stop: false }];
    expect(describeRefusal({ ...NOTHING, plans: others })).toBe("You may not stop a plan. Ask bob.");
  });
  it.each([
    [86_400, "1 day"],
    [604_800, "7 days"],
    [43_200, "12 hours"],
    [90, "2 minutes"],
  ])("%i s are %s", (seconds, words) => {
    expect(formatRetention(seconds)).toBe(words);
  });
});
