import { describe, expect, it } from "vitest";
import { setParameter } from "./edit";
import { spell, spellShortly } from "./values";
import {
  editedField,
  partsOf,
  stepNames,
  streamsOf,
  withPart,
  withPartEarlier,
  withStep,
  withoutPart,
} from "./steps";

const STEPS = [
  { name: "login", stream: "web", where: 'page == "login"' },
  { name: "pay", stream: "shop", within: "5min" },
];

describe("the steps of a sequence", () => {
  it("takes what a document holds, whatever that is", () => {
    expect(partsOf("A then B")).toEqual([]);
    expect(stepNames(STEPS)).toEqual(["login", "pay"]);
  });

  it("are written with the events that they mean, on a node by their names", () => {
    expect(spell(STEPS)).toBe('login: web page == "login" → pay: shop, within 5min');
    expect(
      spell([
        { stream: "web", between: ["login", "pay"] },
        { stream: "shop", where: "n > 3" },
      ]),
    ).toBe("web, between login and pay; shop n > 3");
    expect(spellShortly(STEPS)).toBe("login → pay");
    expect(spellShortly("5min")).toBe("5min");
  });

  it("name the streams that a node reads", () => {
    const params = { steps: STEPS, not: [{ stream: "doors" }], within: "1h" };
    expect(streamsOf({ op: "sequence", params })).toEqual(["web", "shop", "doors"]);
    expect(streamsOf({ op: "event_count", stream: "web" })).toEqual(["web"]);
  });

  it("adds a step with a name of its own, of the stream of the last one", () => {
    const more = withStep(withStep(STEPS, "web"), "web");
    expect(stepNames(more)).toEqual(["login", "pay", "step_3", "step_4"]);
    expect(more.at(-1)?.stream).toBe("shop");
    expect(withStep([], "web")).toEqual([{ name: "step_1", stream: "web" }]);
  });

  it("leaves out what is emptied", () => {
    expect(withPart(STEPS, 0, { where: "" })[0]).toEqual({ name: "login", stream: "web" });
    expect(withPart([{ stream: "web", between: ["a", "b"] }], 0, { between: undefined })).toEqual([
      { stream: "web" },
    ]);
  });

  it("keeps no limit at the first step", () => {
    expect(withoutPart(STEPS, 0)).toEqual([{ name: "pay", stream: "shop" }]);
    expect(stepNames(withPartEarlier(STEPS, 1))).toEqual(["pay", "login"]);
    expect(withPartEarlier(STEPS, 1)[0]).not.toHaveProperty("within");
  });

  it("renames a step where `not` speaks of it, too", () => {
    const not = [{ stream: "web", between: ["login", "pay"] }];
    const document = {
      version: 1,
      name: "",
      nodes: { q: { op: "sequence", params: { steps: STEPS, not } } },
    };
    const after = setParameter(document as never, "q", "steps", withPart(STEPS, 0, { name: "enter" }));
    expect(after.nodes.q?.params?.not).toEqual([{ stream: "web", between: ["enter", "pay"] }]);
  });

  it("tells the field that an edit changes; what adds, moves or removes a step changes more", () => {
    expect(editedField(STEPS, withPart(STEPS, 1, { where: "n > 1" }))).toBe("1.where");
    expect(editedField(STEPS, withStep(STEPS, "web"))).toBeNull();
    expect(editedField(STEPS, withoutPart(STEPS, 0))).toBeNull();
    expect(editedField(STEPS, withPartEarlier(STEPS, 1))).toBeNull();
  });
});
