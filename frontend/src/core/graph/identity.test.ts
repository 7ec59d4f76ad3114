import { expect, test } from "vitest";
import type { PlanDocument } from "../api/types";
import { renameNode } from "./edit";
import { computeIdentities } from "./identity";

const DOCUMENT: PlanDocument = {
  version: 1,
  name: "P",
  nodes: {
    a: { op: "has_existed", stream: "s", params: { where: "x", within: "5s" } },
    b: { op: "not", inputs: { of: "a" } },
    c: { op: "and", inputs: { of: ["a", "b"] } },
  },
};

test("a name is no part of what is computed, below and above", () => {
  const before = computeIdentities(DOCUMENT.nodes);
  const after = computeIdentities(renameNode(DOCUMENT, "a", "z").nodes);
  expect(after.get("z")).toBe(before.get("a"));
  expect([after.get("b"), after.get("c")]).toEqual([before.get("b"), before.get("c")]);
});

test("everything else is, and the order in which it is written is not", () => {
  const before = computeIdentities(DOCUMENT.nodes);
  const changed = { ...DOCUMENT.nodes, a: { op: "has_existed", stream: "s", params: { where: "y" } } };
  for (const name of ["a", "b", "c"]) expect(computeIdentities(changed).get(name)).not.toBe(before.get(name));
  const turned = {
    ...DOCUMENT.nodes,
    a: { params: { within: "5s", where: "x" }, stream: "s", op: "has_existed" },
  };
  expect(computeIdentities(turned)).toEqual(before);
});

test("a plan with a circle and a wire from nowhere has them too", () => {
  const nodes = { a: { op: "not", inputs: { of: "b" } }, b: { op: "not", inputs: { of: "a" } } };
  expect(
    [...computeIdentities({ ...nodes, c: { op: "not", inputs: { of: "gone" } } }).keys()].sort(),
  ).toEqual(["a", "b", "c"]);
});
