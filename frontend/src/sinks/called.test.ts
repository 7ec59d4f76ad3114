import { expect, test } from "vitest";
import { calledOf, ownerInWords } from "./called";

test("of two sinks of one kind it is told which is meant", () => {
  const sink = { title: "Parquet files", place: "orders/cirr", delivers: "revisions" as const, number: 4 };
  expect(calledOf(sink)).toBe("Parquet files to orders/cirr: every revision");
  expect(calledOf({ ...sink, place: "", delivers: "final" })).toBe("Parquet files, number 4: what is final");
});

test.each([
  ["person", "ada", ["read", "own"], "It belongs to ada."],
  ["team", "crew", ["read", "own"], "It belongs to the team crew."],
  [
    "person",
    "eve",
    ["read"],
    "It belongs to eve. Only its owner and administrators see where it delivers to, and change it.",
  ],
] as const)("a sink of the %s %s, with the rights %j", (owner_kind, owner, rights, words) => {
  expect(ownerInWords({ owner_kind, owner, rights: [...rights] })).toBe(words);
});
