import { expect, test } from "vitest";
import { refusesName } from "./edit";
import { emptyDocument } from "./document";
import { describeShapeProblem, describeUndrawable } from "../api/shape";

const plan = (nodes: unknown) => ({ version: 1, name: "Odd", nodes });
const NOT = { op: "not" };

test.each([
  ["nothing", {}],
  ["no object", 5],
  ["a node that is none", plan({ a: null })],
  ["a node that is a list", plan({ a: [] })],
  ["a name that every object has", plan({ constructor: NOT })],
  ["another such name", plan(JSON.parse('{"__proto__": {"op": "not"}}'))],
])("what cannot be drawn is said before it is tried: %s", (_words, document) => {
  expect(describeUndrawable(document)).not.toBeNull();
  expect(describeShapeProblem(document)).not.toBeNull();
});

test.each([
  ["no nodes", plan({})],
  ["a node without an operator", plan({ a: {} })],
  ["inputs that are none", plan({ a: { op: "not", inputs: "x" } })],
  ["a wire to nowhere", plan({ a: { op: "not", inputs: { of: "gone" } } })],
])("what is only wrong is drawn, and the check says what it is: %s", (_words, document) => {
  expect(describeUndrawable(document)).toBeNull();
});

test("no node is given a name that every object has", () => {
  expect(refusesName(emptyDocument(), "a", "toString")).toBe(
    'A node cannot have the name "toString". Choose another name.',
  );
  expect(refusesName(emptyDocument(), "a", "to_string")).toBeNull();
});
