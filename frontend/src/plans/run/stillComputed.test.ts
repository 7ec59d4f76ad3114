import { expect, test } from "vitest";
import type { Fate } from "../../core/api/consequences";
import { goesOn } from "./stillComputed";

const node = (name: string, ...owners: string[]): Pick<Fate, "names" | "users"> => ({
  names: [name],
  users: owners.map((owner) => ({ plan: 1, plan_name: "His own", owner, owner_kind: "person" })),
});

test("what nobody else uses does not go on", () => {
  expect(goesOn([])).toBeNull();
  expect(goesOn([node("state")])).toBeNull();
});

test("what goes on is told by name, for whom in whole, and many by their number", () => {
  expect(goesOn([node("state", "bob"), node("ended")])).toEqual({
    words: "keeps running for others: state",
    title: "state: for bob's “His own”",
  });
  const many = ["a", "b", "c", "d"].map((name) => node(name, "bob"));
  expect(goesOn(many)?.words).toBe("keeps running for others: 4 of its nodes");
  expect(goesOn(many)?.title).toBe("a, b, c, d: for bob's “His own”");
});
