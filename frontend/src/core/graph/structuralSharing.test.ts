import { expect, test } from "vitest";
import type { PlanDocument } from "../api/types";
import { isEqualJson, shareStructure } from "./structuralSharing";

const old: PlanDocument = {
  version: 1,
  name: "Small",
  nodes: { a: { op: "x", params: { p: 1, q: 2 } }, b: { op: "not", inputs: { of: "a" } } },
  results: ["b"],
  layout: { a: [0, 0] },
};
const copied = (): PlanDocument => structuredClone(old);

test("what means the same is the very same", () => {
  const { name, ...rest } = copied();
  expect(shareStructure(old, { ...rest, name })).toBe(old);
  const turned = copied();
  turned.nodes.a = { params: { q: 2, p: 1 }, op: "x" };
  expect(shareStructure(old, turned)).toBe(old);
});

test("only what changed is new", () => {
  const moved = shareStructure(old, { ...copied(), layout: { a: [5, 5] } });
  expect(moved).not.toBe(old);
  expect(moved.nodes).toBe(old.nodes);
  expect(moved.results).toBe(old.results);
  const changed = copied();
  changed.nodes.b = { op: "not", inputs: { of: "b" } };
  const grafted = shareStructure(old, changed);
  expect(grafted.nodes.a).toBe(old.nodes.a);
  expect(grafted.nodes.b).toEqual(changed.nodes.b);
});

test("another order of the nodes is another document", () => {
  const { a, b } = copied().nodes;
  const turned = shareStructure(old, { ...copied(), nodes: { b: b ?? { op: "" }, a: a ?? { op: "" } } });
  expect(Object.keys(turned.nodes)).toEqual(["b", "a"]);
});

test("a part that is gone is gone", () => {
  const less = copied();
  delete less.layout;
  expect(shareStructure(old, less)).not.toHaveProperty("layout");
});

test("equal is told from alike", () => {
  expect(isEqualJson([1, { a: null }], [1, { a: null }])).toBe(true);
  expect(isEqualJson({ a: 1 }, { b: 1 })).toBe(false);
  expect(isEqualJson({ a: undefined }, { b: 1 })).toBe(false);
  expect(isEqualJson([], {})).toBe(false);
  expect(isEqualJson("1", 1)).toBe(false);
});
