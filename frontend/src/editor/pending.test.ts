import { expect, test } from "vitest";
import type { CheckAnswer } from "../api/types";
import { pendingOf } from "./pending";

const RUNS = [
  { name: "a", digest: "1" },
  { name: "b", digest: "2" },
  { name: "", digest: "3" },
];

const checked = (digests: Record<string, string>): CheckAnswer["nodes"] =>
  Object.fromEntries(
    Object.entries(digests).map(([name, digest]) => [name, { digest }]),
  ) as unknown as CheckAnswer["nodes"];

test("what computes the same as what runs is not pending, wherever it lies", () => {
  const found = pendingOf(["a", "b"], RUNS, checked({ a: "1", b: "2" }));
  expect([...found.nodes]).toEqual([]);
  expect(found.removed).toBe(0);
});

test("a node that computes something else is pending, one that is new, and one that was taken away", () => {
  const found = pendingOf(["a", "c"], RUNS, checked({ a: "9", c: "4" }));
  expect([...found.nodes]).toEqual(["a", "c"]);
  expect(found.removed).toBe(1);
});

test("before the check has answered, what runs under its name counts as it is", () => {
  expect([...pendingOf(["a", "b", "c"], RUNS, null).nodes]).toEqual(["c"]);
  const withProblems = { a: { digest: null } } as unknown as CheckAnswer["nodes"];
  expect([...pendingOf(["a", "b"], RUNS, withProblems).nodes]).toEqual([]);
});
