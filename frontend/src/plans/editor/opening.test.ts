import type { Node } from "@xyflow/react";
import { describe, expect, test } from "vitest";
import { distance, opening, READABLE } from "./opening";

const SIZE = { width: 776, height: 420 };
const node = (x: number, y: number, type = "operator"): Node => ({
  id: `${type} ${x} ${y}`,
  type,
  position: { x, y },
  measured: { width: 224, height: 100 },
  data: {},
});
const onScreen = (one: Node, nodes: Node[]) => {
  const { x, y, zoom } = opening(nodes, SIZE);
  return { left: one.position.x * zoom + x, top: one.position.y * zoom + y, zoom };
};

describe("a plan opens", () => {
  test("whole, and no larger than it is, where it can be read so", () => {
    const nodes = [node(0, 0), node(288, 0)];
    const seen = nodes.map((one) => onScreen(one, nodes));
    expect(seen[0]?.zoom).toBeGreaterThanOrEqual(READABLE);
    expect(seen[0]?.zoom).toBeLessThanOrEqual(1);
    expect(seen[0]?.left).toBeGreaterThanOrEqual(70);
    expect((seen[1]?.left ?? 0) + 224).toBeLessThan(SIZE.width);
  });

  // The demo: nine nodes in five columns and four rows, with a comment above one of them.
  const places = [
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 1],
    [1, 2],
    [2, 0],
    [3, 0],
    [4, 2],
  ] as const;
  const demo = [...places.map(([x, y]) => node(x * 304, y * 224)), node(608, -140, "comment")];

  test.each([
    [776, 304],
    [776, 384],
    [936, 484],
  ])("so that all that nodes say can be read, as the demo in a canvas of %i by %i", (width, height) => {
    const { x, y, zoom } = opening(demo, { width, height });
    expect(zoom).toBe(READABLE);
    expect(distance(zoom), "nothing of it is left out").toBe("");
    const [first] = demo as [Node];
    expect(first.position.x * zoom + x).toBeCloseTo(72);
    expect(first.position.y * zoom + y).toBeGreaterThanOrEqual(0);
    expect((first.position.y + 100) * zoom + y).toBeLessThanOrEqual(height);
  });

  test("readable and from its sources where all of it would be too small, the whole height in the middle", () => {
    const row = Array.from({ length: 12 }, (_, i) => node(1000 + i * 288, 500));
    const { left, top, zoom } = onScreen(row[0] as Node, row);
    expect(zoom).toBe(READABLE);
    expect(left).toBeCloseTo(72);
    expect(top).toBeCloseTo((SIZE.height - 100 * READABLE) / 2);
  });

  test("at the sources, wherever they stand, where it is higher than the canvas", () => {
    const tall = Array.from({ length: 20 }, (_, i) => node(400 * (1 + (i % 4)), i * 120));
    const source = node(0, 1500);
    const { left, top } = onScreen(source, [...tall, source]);
    expect(left).toBeCloseTo(72);
    expect(top).toBeCloseTo((SIZE.height - 100 * READABLE) / 2);
  });

  test("at the first of its sources where these are higher than the canvas", () => {
    const sources = Array.from({ length: 20 }, (_, i) => node(i % 2, i * 120));
    const { left, top } = onScreen(sources[0] as Node, sources);
    expect(left).toBeCloseTo(72);
    expect(top).toBeGreaterThan(0);
    expect(top).toBeLessThan(100);
  });

  test("at its nodes, not at a comment that lies far off", () => {
    const [source, far] = [node(0, 0), node(-4000, 0, "comment")];
    const { left, zoom } = onScreen(source, [source, far, node(288, 0)]);
    expect(left).toBeGreaterThanOrEqual(71);
    expect(left + (288 + 224) * zoom).toBeLessThanOrEqual(SIZE.width);
    expect(zoom).toBe(READABLE);
  });
});
