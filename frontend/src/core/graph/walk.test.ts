import { expect, test } from "vitest";
import { arrange } from "./arrange";
import { CIRR, OPERATORS } from "./sample.testing";
import { collectDownstream, findNeighbour, collectUpstream } from "./walk";

test("what lies above and below a node, near and far", () => {
  expect([...collectUpstream(CIRR.nodes, "induced")].sort()).toEqual([
    "buffering",
    "calm",
    "induced",
    "seeking",
    "state",
  ]);
  expect([...collectDownstream(CIRR.nodes, "buffering", "calm")].sort()).toEqual([
    "buffering",
    "calm",
    "cirr",
    "induced",
  ]);
});

test("a circle has an end", () => {
  const nodes = { a: { op: "not", inputs: { of: "b" } }, b: { op: "not", inputs: { of: "a" } } };
  expect([...collectUpstream(nodes, "a")].sort()).toEqual(["a", "b"]);
});

test("the neighbours: along the wires, and by place", () => {
  const places = arrange(CIRR, OPERATORS);
  expect(findNeighbour(CIRR, places, "induced", "right")).toBe("cirr");
  expect(findNeighbour(CIRR, places, "calm", "left")).toBe("seeking");
  const [upper, lower] =
    (places.calm?.[1] ?? 0) < (places.buffering?.[1] ?? 0) ? ["calm", "buffering"] : ["buffering", "calm"];
  expect(findNeighbour(CIRR, places, upper as string, "down")).toBe(lower);
  expect(findNeighbour(CIRR, places, lower as string, "up")).toBe(upper);
  expect(findNeighbour(CIRR, places, "cirr", "right")).toBeNull();
});
