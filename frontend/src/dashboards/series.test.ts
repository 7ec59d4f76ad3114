import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePieces, type Piece } from "../timechart/pieces";
import type { WirePoint } from "../core/api/types";
import {
  boundScale,
  extentOf,
  lineOf,
  numberAt,
  sortByNumber,
  scaleOf,
  stackOf,
  selectPieces,
} from "./series";
import { thinPoints } from "../timechart/thin";

const S = 1_000_000;
const wire = (...points: WirePoint[]): Piece[] => parsePieces(points);
const climbing = wire([null, 0, 0], [10 * S, 0, 1], [20 * S, 10, 0]);

describe("rows of a table", () => {
  const rows = [
    { key: "slow", pieces: wire([null, 20, 0]) },
    { key: "climbs", pieces: wire([null, 0, 0], [10 * S, 0, 1]) },
    { key: "unknown", pieces: wire([null, null]) },
  ];
  const keys = (t: number, order: "most" | "least") => sortByNumber(rows, t, order).map(({ key }) => key);

  test("stand in the order of what they show, though they were ranked when one of them had less", () => {
    expect(keys(15 * S, "most")).toEqual(["slow", "climbs", "unknown"]);
    expect(keys(60 * S, "most")).toEqual(["climbs", "slow", "unknown"]);
    expect(keys(60 * S, "least")).toEqual(["slow", "climbs", "unknown"]);
  });

  test("that are no numbers stay as they were ranked", () => {
    const states = [{ pieces: wire([null, "play"]) }, { pieces: wire([null, "buffer"]) }];
    expect(sortByNumber(states, S, "most")).toEqual(states);
  });
});

describe("a line", () => {
  test("has its true slopes and its jumps", () => {
    const jump = wire([null, 1, 0], [10 * S, 5, 0]);
    expect(lineOf(climbing, { start: 0, end: 30 * S })).toEqual([
      { x: 0, y: 0 },
      { x: 10 * S, y: 0 },
      { x: 10 * S, y: 0 },
      { x: 20 * S, y: 10 },
      { x: 20 * S, y: 10 },
      { x: 30 * S, y: 10 },
    ]);
    expect(lineOf(jump, { start: 9 * S, end: 11 * S }).map((vertex) => vertex.y)).toEqual([1, 1, 5, 5]);
  });

  test("has a gap where it is unknown", () => {
    const line = lineOf(wire([null, null, 0], [5 * S, 2, 0]), { start: 0, end: 10 * S });
    expect(line.map((vertex) => vertex.y)).toEqual([null, null, 2, 2]);
    expect(extentOf([line])).toEqual([2, 2]);
  });

  test("of a ratio is curved", () => {
    const ratio = wire([null, 0, 0, 1, 0], [0, 0, 1, 1, 1]);
    expect(numberAt(ratio, 3 * S)).toBeCloseTo(0.75);
    expect(lineOf(ratio, { start: 0, end: 10 * S }).length).toBeGreaterThan(20);
  });

  test("is read from what says something of the window alone", () => {
    expect(selectPieces(climbing, { start: 12 * S, end: 15 * S })).toEqual([climbing[1]]);
    expect(selectPieces([], { start: 0, end: 1 })).toEqual([]);
  });
});

describe("a stack", () => {
  const groups = [
    { key: "a", pieces: climbing },
    { key: "b", pieces: wire([null, null, 0], [15 * S, 2, 0]) },
  ];

  test("lays each group upon those below it", () => {
    const [a, b] = stackOf(groups, { start: 0, end: 30 * S });
    expect(a?.line.at(-1)?.y).toBe(10);
    expect(b?.line.at(-1)?.y).toBe(12);
    expect(b?.line.filter((vertex) => vertex.x === 15 * S).map((vertex) => vertex.y)).toEqual([5, 7]);
  });

  test("at any instant is the sum of its groups", () => {
    const value = fc.record({ t: fc.integer({ min: 0, max: 20 }), value: fc.integer({ min: 0, max: 9 }) });
    fc.assert(
      fc.property(fc.array(fc.array(value, { maxLength: 5 }), { minLength: 1, maxLength: 4 }), (all) => {
        const made = all.map((points, i) => ({
          key: String(i),
          pieces: wire(
            [null, 0, 0],
            ...[...new Map(points.map((point) => [point.t, point])).values()]
              .sort((x, y) => x.t - y.t)
              .map((one): WirePoint => [one.t * S, one.value, 0]),
          ),
        }));
        const top = stackOf(made, { start: 0, end: 21 * S }).at(-1)?.line ?? [];
        const sum = made.reduce((total, group) => total + (numberAt(group.pieces, 21 * S) ?? 0), 0);
        expect(top.at(-1)?.y).toBe(sum);
      }),
    );
  });
});

describe("thinning", () => {
  test("keeps every least and greatest value of what is seen, and invents none", () => {
    const ys = fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 50, maxLength: 400 });
    fc.assert(
      fc.property(ys, fc.integer({ min: 1, max: 20 }), (values, columns) => {
        const line = values.map((y, x) => ({ x, y }));
        const vertices = thinPoints(line, 0, values.length, columns);
        expect(vertices.length).toBeLessThanOrEqual(
          Math.max(columns * 4, line.length > columns * 4 ? columns * 4 : line.length),
        );
        const own = new Set<unknown>(line);
        expect(vertices.every((vertex) => own.has(vertex))).toBe(true);
        expect(extentOf([vertices])).toEqual(extentOf([line]));
        expect(vertices.every((vertex, i) => i === 0 || vertex.x > (vertices[i - 1]?.x ?? -1))).toBe(true);
      }),
    );
  });

  test("keeps gaps", () => {
    const line = Array.from({ length: 100 }, (_, x) => ({ x, y: x >= 40 && x < 60 ? null : x }));
    expect(thinPoints(line, 0, 100, 5).some((vertex) => vertex.y === null)).toBe(true);
  });
});

describe("a scale", () => {
  test("is round, holds all values, and stays while it fits", () => {
    expect(scaleOf([3, 97], null)).toEqual([0, 100]);
    expect(scaleOf([5, 90], [0, 100])).toEqual([0, 100]);
    expect(scaleOf([5, 110], [0, 100])?.[1]).toBeGreaterThanOrEqual(110);
    expect(scaleOf([1, 2], [0, 100])?.[1]).toBeLessThan(10);
    expect(scaleOf([7, 7], null)?.[0]).toBeLessThanOrEqual(7);
  });

  test("is not invented where there are no values", () => {
    expect(scaleOf(null, null)).toBeNull();
    expect(scaleOf(null, [0, 100])).toBeNull();
  });

  test("is never empty", () => {
    const value = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map((n) => n / 1000);
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const [bottom, top] = scaleOf([low, high], null) ?? [0, 0];
        const nearly = 1e-9 * Math.max(1, Math.abs(low), Math.abs(high));
        expect(top).toBeGreaterThan(bottom);
        expect(bottom).toBeLessThanOrEqual(low + nearly);
        expect(top).toBeGreaterThanOrEqual(high - nearly);
      }),
      { numRuns: 1000 },
    );
  });
});

test("where change points are left out a line goes round its bounds, and nowhere else", () => {
  const pieces = [
    { t: null, value: 0, slope: 0 },
    { t: 100, value: 3, slope: 0 },
    { t: 150, value: 9, slope: 0 },
    { t: 200, value: 5, slope: 0 },
  ];
  const leftOut = [{ from: 100, to: 200, changes: 7, low: 1, high: 9 }];
  expect(lineOf(pieces, { start: 0, end: 300 }, leftOut)).toEqual([
    { x: 0, y: 0 },
    { x: 100, y: 0 },
    { x: 100, y: 3 },
    { x: 100, y: 1 },
    { x: 100, y: 9 },
    { x: 200, y: 9 },
    { x: 200, y: 1 },
    { x: 200, y: 5 },
    { x: 300, y: 5 },
  ]);
  const unknown = [{ from: 100, to: 200, changes: 7, low: null, high: null }];
  expect(lineOf(pieces, { start: 0, end: 300 }, unknown).filter(({ y }) => y === null)).toHaveLength(4);
});

describe("the bounds of a scale", () => {
  test.each([
    [null, null, [0, 80]],
    [20, null, [20, 80]],
    [null, 50, [0, 50]],
    [-10, 10, [-10, 10]],
    [100, null, [100, 180]],
    [null, -5, [-85, -5]],
  ] as const)("from %s to %s", (low, high, expected) => {
    expect(boundScale([0, 80], { low, high })).toEqual(expected);
  });

  test("are none without values", () => expect(boundScale(null, { low: 0, high: 1 })).toBeNull());
});
