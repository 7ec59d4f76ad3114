import { afterAll, beforeAll, expect, test } from "vitest";
import { setZone } from "../core/time/zone";
import {
  describePattern,
  newSilence,
  refusesSilence,
  snooze,
  tomorrowMorning,
  toSilence,
  withPattern,
} from "./silenceTimes";

const micros = (iso: string): number => Date.parse(iso) * 1000;
const NOW = micros("2024-03-30T22:30:00Z");

beforeAll(() => setZone("Europe/Berlin"));
afterAll(() => setZone(""));

test("tomorrow is that of the zone that is shown, also where its clocks change in the night", () => {
  expect(tomorrowMorning(NOW)).toBe(micros("2024-03-31T06:00:00Z"));
  expect(tomorrowMorning(micros("2024-03-30T23:30:00Z"))).toBe(micros("2024-04-01T06:00:00Z"));
});

test("a draft is sent with what is filled in, in UTC", () => {
  const draft = { ...newSilence(null, " oven-7* ", NOW), label: "team = bakery", reason: " Repair " };
  expect(refusesSilence(draft, NOW)).toBeNull();
  expect(toSilence(draft)).toEqual({
    key: "oven-7*",
    label: "team",
    label_value: "bakery",
    ends_at: "2024-03-30T23:30:00.000Z",
    reason: "Repair",
  });
  expect(toSilence({ ...draft, alert: 5, begins: "2024-03-30T23:45:00" })).toMatchObject({
    alert: 5,
    begins_at: "2024-03-30T22:45:00.000Z",
  });
  expect(snooze(5, "", NOW)).toEqual({ alert: 5, ends_at: "2024-03-30T22:30:00.000Z", reason: "Snoozed" });
});

test("a silence that repeats holds for a year, by the clocks that are shown or while a node is true", () => {
  const draft = { ...newSilence(5, "", NOW), reason: "Night", days: ["sat", "sun"] as const };
  expect(toSilence(withPattern(draft, "schedule", NOW))).toMatchObject({
    ends_at: "2025-03-30T22:30:00.000Z",
    schedule: { from: "22:00", to: "04:00", days: "sat,sun", zone: "Europe/Berlin" },
  });
  expect(toSilence({ ...withPattern(draft, "node", NOW), node: "7/a/b" }).during).toEqual({
    plan: 7,
    node: "a/b",
  });
  const none = { schedule: null, during: null };
  expect(describePattern(none)).toBeNull();
  expect(describePattern({ ...none, during: { plan: 7, node: "hot", plan_name: null } })).toBe(
    "while hot is true",
  );
});

test.each([
  [{ pattern: "schedule", days: [] } as const, "Choose a day."],
  [{ pattern: "schedule", to: "22:00" } as const, "The hours begin and end at the same time."],
  [{ pattern: "schedule", from: "" } as const, "Give the hours."],
  [{ pattern: "node" } as const, "Choose a node."],
  [{ label: "bakery" }, "Write the label as name=text, such as team=bakery."],
  [{ ends: "" }, "Give a date and a time."],
  [{ ends: "2024-03-30T23:29:00" }, "The end must be later than now, and than the begin."],
  [{ begins: "2024-03-31T23:00:00" }, "The end must be later than now, and than the begin."],
  [{ reason: " " }, "Give a reason."],
])("%o is refused", (more, words) => {
  expect(refusesSilence({ ...newSilence(5, "", NOW), reason: "Repair", ...more }, NOW)).toBe(words);
});
