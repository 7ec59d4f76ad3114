import { expect, test } from "vitest";
import type { Fate } from "../../core/api/consequences";
import { describeStillRunning } from "./stillRunning";

const node = (name: string, ...owners: string[]): Pick<Fate, "names" | "users"> => ({
  names: [name],
  users: owners.map((owner) => ({ plan: 1, plan_name: "His own", owner, owner_kind: "person" })),
});

test("what nobody else uses does not go on", () => {
  expect(describeStillRunning([])).toBeNull();
  expect(describeStillRunning([node("state")])).toBeNull();
});

test("what goes on is told by name, for whom in whole, and many by their number", () => {
  expect(describeStillRunning([node("state", "bob"), node("ended")])).toEqual({
    words: "keeps running for others: state",
    title: "state: for bob's “His own”",
  });
  const many = ["a", "b", "c", "d"].map((name) => node(name, "bob"));
  expect(describeStillRunning(many)?.words).toBe("keeps running for others: 4 of its nodes");
  expect(describeStillRunning(many)?.title).toBe("a, b, c, d: for bob's “His own”");
});
