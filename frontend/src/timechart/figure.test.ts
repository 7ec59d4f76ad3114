import { describe, expect, test } from "vitest";
import { LIGHT, Register, rgba } from "./colours";
import { buildFigure } from "./figure";
import type { Piece } from "./pieces";
import { buildSpans } from "./spans";

const SECOND = 1_000_000;
const window = { start: 0, end: 30 * SECOND };
const register = new Register(10);

function drawn(kind: "number" | "text", pieces: Piece[], finalUntil: number | null = null) {
  const seen = buildSpans(pieces, window, 30 * SECOND, finalUntil);
  return buildFigure({ kind, spans: seen, window, finalUntil, theme: LIGHT, register });
}

test("limits are lines across a number, as far as they are near what is seen", () => {
  const pieces: Piece[] = [
    { t: 0, value: 70, slope: 0 },
    { t: 10 * SECOND, value: 90, slope: 0 },
  ];
  const limits = [
    { of: "hot", value: 80, clears: false },
    { of: "hot", value: 100, clears: true },
    { of: "far", value: 1000, clears: false },
  ];
  const { layout, scale } = buildFigure({
    kind: "number",
    spans: buildSpans(pieces, window, 30 * SECOND, null),
    window,
    finalUntil: null,
    theme: LIGHT,
    register,
    limits,
  });
  expect((layout as { shapes: { y0: number }[] }).shapes.map(({ y0 }) => y0)).toEqual([80, 100]);
  expect(scale?.high).toBeGreaterThan(100);
  expect(scale?.high).toBeLessThan(110);
  expect(scale?.low).toBeGreaterThan(60);
});

interface Bar {
  base: number[];
  x: number[];
  text: string[];
  marker: { pattern: { shape: string[] } };
}
interface Hatched {
  x: number[];
  fillpattern: { shape: string; fgcolor: string };
}
interface Line {
  x: (number | null)[];
  y: (number | null)[];
}

describe("a lane's figure", () => {
  const state: Piece[] = [
    { t: null, value: null, slope: 0 },
    { t: 10 * SECOND, value: "play", slope: 0 },
  ];

  test("hatches unknown and what is provisional, each its own way, and says a word once", () => {
    const [unknown, bar] = drawn("text", state, 20 * SECOND).data as [Hatched, Bar];
    expect(unknown.x.slice(0, 3)).toEqual([0, 0, 10_000]);
    expect(unknown.fillpattern).toMatchObject({ shape: "x", fgcolor: rgba(LIGHT.unknown, 0.9) });
    expect(bar.base.slice(0, 2)).toEqual([10_000, 20_000]);
    expect(bar.marker.pattern.shape.slice(0, 2)).toEqual(["", "/"]);
    expect(bar.text.filter((word) => word !== "")).toEqual(["play"]);
  });

  test("marks final_until", () => {
    expect(drawn("text", state, 20 * SECOND).layout).toMatchObject({ shapes: [{ x0: 20_000, x1: 20_000 }] });
    expect(drawn("text", state).layout).toMatchObject({ shapes: [], uirevision: "kept" });
  });

  test("a jump of a number is a vertical step, a slope is a slope", () => {
    const jump: Piece[] = [
      { t: null, value: 0, slope: 0 },
      { t: 10 * SECOND, value: 0, slope: 2 },
      { t: 15 * SECOND, value: 3, slope: 0 },
    ];
    const [line] = drawn("number", jump).data as [Line];
    expect(line.x.slice(0, 5)).toEqual([0, 10_000, 10_000, 15_000, 15_000]);
    expect(line.y.slice(0, 5)).toEqual([0, 0, 0, 10, 3]);
  });

  test("a number is no line where it is unknown", () => {
    const gap: Piece[] = [
      { t: null, value: 1, slope: 0 },
      { t: 10 * SECOND, value: null, slope: 0 },
      { t: 15 * SECOND, value: 1, slope: 0 },
    ];
    const { data } = drawn("number", gap);
    expect((data[0] as Line).x[2]).toBeNull();
    const hatched = data.at(-1) as Hatched;
    expect([hatched.fillpattern.shape, ...hatched.x.slice(1, 3)]).toEqual(["x", 10_000, 15_000]);
  });

  test("a number of which nothing is known has no scale", () => {
    const unknown: Piece[] = [{ t: null, value: null, slope: 0 }];
    for (const pieces of [[], unknown]) {
      const { scale, layout } = drawn("number", pieces);
      expect(scale).toBeNull();
      expect(layout).toMatchObject({ yaxis: { showticklabels: false, showgrid: false } });
    }
  });
});
