import { expect, test } from "vitest";
import { calledOf, describeOwner } from "./sinkNames";

test("of two sinks of one kind it is told which is meant", () => {
  const sink = { title: "Parquet files", place: "orders/cirr", delivers: "revisions" as const, number: 4 };
  expect(calledOf(sink)).toBe("Parquet files to orders/cirr: every revision");
  expect(calledOf({ ...sink, place: "", delivers: "final" })).toBe("Parquet files, number 4: what is final");
});

test.each([
  ["person", "ada", ["read", "own"], "Owner: ada."],
  ["team", "crew", ["read", "own"], "Owner: the team crew."],
  ["person", "eve", ["read"], "Owner: eve. Only the owner and administrators can view and edit its target."],
] as const)("a sink of the %s %s, with the rights %j", (owner_kind, owner, rights, words) => {
  expect(describeOwner({ owner_kind, owner, rights: [...rights] })).toBe(words);
});
