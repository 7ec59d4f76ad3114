import { expect, test } from "vitest";
import type { PlanDocument } from "../api/document";
import { applyChanges, leadsNowhere, type Change } from "./patch";

const BASE: PlanDocument = {
  version: 1,
  name: "Plan",
  nodes: {
    seeking: { op: "has_existed", stream: "calls", params: { where: "x == 1" } },
    calm: { op: "not", inputs: { of: "seeking" } },
    both: { op: "and", inputs: { of: ["seeking", "calm"] } },
  },
  results: ["both"],
  layout: { seeking: [0, 0], calm: [300, 0], both: [600, 0] },
};

const apply = (document: PlanDocument, ...changes: Change[]) =>
  applyChanges(document, { renames: {}, changes });

test("what others changed comes in, and what they did not stays the very same", () => {
  const path = ["nodes", "seeking", "params", "where"];
  const after = apply(BASE, { path, before: "x == 1", after: "x == 2" });
  expect(after.nodes.seeking?.params).toEqual({ where: "x == 2" });
  expect(after.nodes.calm).toBe(BASE.nodes.calm);
  expect(BASE.nodes.seeking?.params).toEqual({ where: "x == 1" });
});

test("what one has changed oneself stays", () => {
  const mine = apply(BASE, { path: ["layout", "calm"], before: [300, 0], after: [1, 1] });
  const theirs = { path: ["layout", "calm"], before: [300, 0], after: [9, 9] };
  expect(apply(mine, theirs).layout?.calm).toEqual([1, 1]);
  expect(apply(BASE, theirs).layout?.calm).toEqual([9, 9]);
});

test("nodes come and go", () => {
  const node = { op: "or" };
  const added = apply(BASE, { path: ["nodes", "late"], after: node });
  expect(Object.keys(added.nodes)).toEqual(["seeking", "calm", "both", "late"]);
  const removed = apply(added, { path: ["nodes", "late"], before: node });
  expect(removed).toEqual(BASE);
});

test("a parameter of a node that is gone is not brought back", () => {
  const gone = apply(BASE, { path: ["nodes", "seeking"], before: BASE.nodes.seeking });
  const path = ["nodes", "seeking", "params", "where"];
  expect(apply(gone, { path, before: "x == 1", after: "x == 2" })).toBe(gone);
});

test("a first parameter or wire makes room for itself", () => {
  const path = ["nodes", "calm", "params", "odd"];
  expect(apply(BASE, { path, after: 3 }).nodes.calm).toEqual({ ...BASE.nodes.calm, params: { odd: 3 } });
});

test("wires of both come together at a port for many", () => {
  const path = ["nodes", "both", "inputs", "of"];
  const mine = apply(BASE, { path, before: ["seeking", "calm"], after: ["seeking", "calm", "mine"] });
  const after = apply(mine, { path, before: ["seeking", "calm"], after: ["calm", "theirs"] });
  expect(after.nodes.both?.inputs?.of).toEqual(["calm", "mine", "theirs"]);
});

test("groups and comments of both come together", () => {
  const mine = { ...BASE, comments: ["head", "mine"] };
  const after = apply(mine, { path: ["comments"], before: ["head"], after: ["head", "theirs"] });
  expect(after.comments).toEqual(["head", "mine", "theirs"]);
});

test("a renamed node is renamed with what one has changed in it", () => {
  const path = ["nodes", "seeking", "params", "where"];
  const mine = apply(BASE, { path, before: "x == 1", after: "mine" });
  const after = applyChanges(mine, { renames: { seeking: "sought" }, changes: [] });
  expect(after.nodes.sought?.params).toEqual({ where: "mine" });
  expect(after.nodes.calm?.inputs).toEqual({ of: "sought" });
  expect(after.layout?.sought).toEqual([0, 0]);
});

test("equal values in another order of names are equal", () => {
  const before = { params: { where: "x == 1" }, stream: "calls", op: "has_existed" };
  expect(apply(BASE, { path: ["nodes", "seeking"], before }).nodes.seeking).toBeUndefined();
});

test("nothing leads nowhere", () => {
  expect(leadsNowhere({ renames: {}, changes: [] })).toBe(true);
  expect(leadsNowhere({ renames: { a: "b" }, changes: [] })).toBe(false);
  expect(apply(BASE)).toBe(BASE);
});
