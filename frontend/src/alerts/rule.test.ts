import { expect, test } from "vitest";
import type { DocumentNode } from "../core/api/types";
import { describeRule } from "./rule";

const ruleOf = (node: DocumentNode): string | null =>
  describeRule({ version: 1, name: "Ovens", nodes: { hot: node } }, "hot");
const alert = (params: NonNullable<DocumentNode["params"]>): DocumentNode => ({
  op: "alert",
  inputs: { of: "temperature" },
  params,
});

test("an alert node says its limits and durations", () => {
  expect(ruleOf(alert({ above: 80, clear: 75, for: "5min", clear_after: "1min" }))).toBe(
    "Fires when temperature is greater than 80 for 5 min, and ends when it is at most 75 for 1 min.",
  );
  expect(ruleOf(alert({ above: 0 }))).toBe(
    "Fires when temperature is greater than 0, and ends when it is at most 0.",
  );
  expect(ruleOf(alert({ below: 3, clear: 4 }))).toBe(
    "Fires when temperature is less than 3, and ends when it is at least 4.",
  );
  expect(ruleOf(alert({ for: "500ms" }))).toBe(
    "Fires when temperature is true for 500 ms, and ends when it is false.",
  );
});

test("any other node fires while it is true", () => {
  expect(ruleOf({ op: "and" })).toBe("Fires while hot is true.");
});

test("a node that is not in the plan has no rule", () => {
  expect(describeRule({ version: 1, name: "Ovens", nodes: {} }, "hot")).toBeNull();
  expect(describeRule({ version: 1, name: "Ovens", nodes: {} }, "constructor")).toBeNull();
});
