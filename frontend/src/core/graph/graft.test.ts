import { expect, test } from "vitest";
import type { PlanDocument } from "../api/types";
import { equal, graft } from "./graft";

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
  expect(graft(old, { ...rest, name })).toBe(old);
  const turned = copied();
  turned.nodes.a = { params: { q: 2, p: 1 }, op: "x" };
  expect(graft(old, turned)).toBe(old);
});

test("only what changed is new", () => {
  const moved = graft(old, { ...copied(), layout: { a: [5, 5] } });
  expect(moved).not.toBe(old);
  expect(moved.nodes).toBe(old.nodes);
  expect(moved.results).toBe(old.results);
  const changed = copied();
  changed.nodes.b = { op: "not", inputs: { of: "b" } };
  const grafted = graft(old, changed);
  expect(grafted.nodes.a).toBe(old.nodes.a);
  expect(grafted.nodes.b).toEqual(changed.nodes.b);
});

test("another order of the nodes is another document", () => {
  const { a, b } = copied().nodes;
  const turned = graft(old, { ...copied(), nodes: { b: b ?? { op: "" }, a: a ?? { op: "" } } });
  expect(Object.keys(turned.nodes)).toEqual(["b", "a"]);
});

test("a part that is gone is gone", () => {
  const less = copied();
  delete less.layout;
  expect(graft(old, less)).not.toHaveProperty("layout");
});

test("equal is told from alike", () => {
  expect(equal([1, { a: null }], [1, { a: null }])).toBe(true);
  expect(equal({ a: 1 }, { b: 1 })).toBe(false);
  expect(equal({ a: undefined }, { b: 1 })).toBe(false);
  expect(equal([], {})).toBe(false);
  expect(equal("1", 1)).toBe(false);
});
