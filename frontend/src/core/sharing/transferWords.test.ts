import { expect, test } from "vitest";
import { describeTransferred, describeTransferPreview, formatNames } from "./transferWords";

test.each([
  [{ count: 0, running: 0 }, /^You own none of these plans\.$/],
  [{ count: 1, running: 1 }, /^1 plan goes .* 1 of them runs, and goes on\. Who gets it/],
  [
    { count: 1200, running: 30 },
    /^1,200 plans go to another owner at once, all or none\. 30 of them run, and go on\./,
  ],
])("what becomes of many is said before", (giving, words) => {
  expect(describeTransferPreview(giving, "plans")).toMatch(words);
});

test("and after", () => {
  expect([describeTransferred(1, "plans", "bob"), describeTransferred(3, "nodes", "qa")]).toEqual([
    "1 plan belongs to bob now.",
    "3 nodes belong to qa now.",
  ]);
});

test.each([
  [["a"], 1, "“a”"],
  [["a", "b"], 2, "“a” and “b”"],
  [["a", "b", "c", "d", "e"], 5, "“a”, “b”, “c”, “d” and “e”"],
  [["a", "b", "c", "d", "e", "f"], 1017, "“a”, “b”, “c”, “d”, “e”, and 1,012 more"],
])("those that go are named, five at most", (names, count, words) => {
  expect(formatNames(names, count)).toBe(words);
});
