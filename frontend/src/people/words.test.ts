import { describe, expect, it } from "vitest";
import { actInWords, changesOf } from "./words";

describe("what is said of an act", () => {
  it("is a verb before the thing", () => {
    expect(actInWords({ act: "plan.run", kind: "plan" })).toBe("ran the plan");
  });

  it("is the act itself where nobody thought of it", () => {
    expect(actInWords({ act: "node.fly", kind: "node" })).toBe("fly the node");
  });

  it("tells only what is otherwise", () => {
    const before = { owner: "ada", owner_kind: "person", running: true };
    const after = { owner: "qa", owner_kind: "team", running: true };
    expect(changesOf({ before, after })).toEqual(["owner: ada → qa"]);
  });

  it("tells shares by name and right", () => {
    const before = { open_to_all: true, shares: [] };
    const after = { open_to_all: false, shares: [{ kind: "person", name: "bob", rights: ["read", "edit"] }] };
    expect(changesOf({ before, after })).toEqual([
      "open to all: yes → no",
      "shared with: nobody → bob (read, edit)",
    ]);
  });

  it("says nothing where nothing is told", () => {
    expect(changesOf({ before: null, after: null })).toEqual([]);
  });
});
