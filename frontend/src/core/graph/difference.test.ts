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
  const difference = computeDifference(CIRR, renameNode(removeNodes(moved, ["cirr"]), "calm", "quiet"));
  expect(difference.added).toEqual(["quiet"]);
  expect(difference.removed).toEqual(["calm", "cirr"]);
  expect(difference.moved).toEqual(["state"]);
  expect(difference.changed).toEqual([
    { name: "seeking", words: ["duration: 5s → 10s"] },
    { name: "induced", words: ["of: calm, buffering → quiet, buffering"] },
  ]);
  expect(difference.frame).toContain("results");
});

test("another operator, stream, comment or name is said", () => {
  const nodes = {
    ...CIRR.nodes,
    calm: { op: "shift", inputs: { of: "seeking" }, comment: "other" },
    state: { ...CIRR.nodes.state, op: "latest_event_to_state", stream: "ads" },
  };
  const difference = computeDifference(CIRR, { ...CIRR, name: "Another", nodes });
  expect(difference.changed).toEqual([
    { name: "calm", words: ["operator: not → shift", "its comment"] },
    { name: "state", words: ["stream: player → ads"] },
  ]);
  expect(difference.frame).toEqual(["the name"]);
});
