import { expect, test } from "vitest";
import { computeDifference, isEmpty } from "./difference";
import { moveNodes, removeNodes, renameNode, setParameter } from "./edit";
import { CIRR } from "./sample.testing";

test("what is the same is no difference, in whatever order its keys stand", () => {
  const turned = { ...CIRR, nodes: Object.fromEntries(Object.entries(CIRR.nodes).reverse()) };
  expect(isEmpty(computeDifference(CIRR, CIRR))).toBe(true);
  expect(computeDifference(CIRR, structuredClone(turned)).changed).toEqual([]);
});

test("added, removed, changed, moved and rewired nodes are told apart", () => {
  const longer = setParameter(CIRR, "seeking", "duration", "10s");
  const moved = moveNodes(longer, { state: [5, 5] });
  const found = computeDifference(CIRR, renameNode(removeNodes(moved, ["cirr"]), "calm", "quiet"));
  expect(found.added).toEqual(["quiet"]);
  expect(found.removed).toEqual(["calm", "cirr"]);
  expect(found.moved).toEqual(["state"]);
  expect(found.changed).toEqual([
    { name: "seeking", words: ["duration: 5s → 10s"] },
    { name: "induced", words: ["of: calm, buffering → quiet, buffering"] },
  ]);
  expect(found.frame).toContain("results");
});

test("another operator, stream, comment or name is said", () => {
  const nodes = {
    ...CIRR.nodes,
    calm: { op: "shift", inputs: { of: "seeking" }, comment: "other" },
    state: { ...CIRR.nodes.state, op: "latest_event_to_state", stream: "ads" },
  };
  const found = computeDifference(CIRR, { ...CIRR, name: "Another", nodes });
  expect(found.changed).toEqual([
    { name: "calm", words: ["operator: not → shift", "its comment"] },
    { name: "state", words: ["stream: player → ads"] },
  ]);
  expect(found.frame).toEqual(["the name"]);
});
