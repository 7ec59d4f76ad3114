import { expect, test } from "vitest";
import { arrange } from "./arrange";
import { CIRR, OPERATORS } from "./sample.testing";
import { downstream, neighbour, upstream } from "./walk";

test("what lies above and below a node, near and far", () => {
  expect([...upstream(CIRR.nodes, "induced")].sort()).toEqual([
    "buffering",
    "calm",
    "induced",
    "seeking",
    "state",
  ]);
  expect([...downstream(CIRR.nodes, "buffering", "calm")].sort()).toEqual([
    "buffering",
    "calm",
    "cirr",
    "induced",
  ]);
});

test("a circle has an end", () => {
  const nodes = { a: { op: "not", inputs: { of: "b" } }, b: { op: "not", inputs: { of: "a" } } };
  expect([...upstream(nodes, "a")].sort()).toEqual(["a", "b"]);
});

test("the neighbours: along the wires, and by place", () => {
  const places = arrange(CIRR, OPERATORS);
  expect(neighbour(CIRR, places, "induced", "right")).toBe("cirr");
  expect(neighbour(CIRR, places, "calm", "left")).toBe("seeking");
  const [upper, lower] =
    (places.calm?.[1] ?? 0) < (places.buffering?.[1] ?? 0) ? ["calm", "buffering"] : ["buffering", "calm"];
  expect(neighbour(CIRR, places, upper as string, "down")).toBe(lower);
  expect(neighbour(CIRR, places, lower as string, "up")).toBe(upper);
  expect(neighbour(CIRR, places, "cirr", "right")).toBeNull();
});
