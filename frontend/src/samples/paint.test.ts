import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findStretchAround,
  edgesOf,
  expectedIn,
  saidFrom,
  snapToEdge,
  spellSaid,
  valuesOf,
  wholeWindow,
} from "./answer";
import { expectationOf, paint, renamed, expectAnswer, withExpectation, withoutExpectation } from "./paint";
import type { ExpectedSpan, NodeAnswer } from "../core/api/samples";

const S = 1_000_000;
const span = (from: number | null, to: number | null, value: ExpectedSpan["value"]): ExpectedSpan => ({
  from,
  to,
  value,
});

describe("painting", () => {
  test("a stretch takes its value, and what lies around it stays", () => {
    const before = [span(null, 10 * S, false), span(10 * S, null, true)];
    expect(paint(before, { from: 4 * S, to: 12 * S }, { value: null })).toEqual([
      span(null, 4 * S, false),
      span(4 * S, 12 * S, null),
      span(12 * S, null, true),
    ]);
  });

  test("neighbours that say the same are one", () => {
    expect(paint([span(0, S, true)], { from: S, to: 3 * S }, { value: true })).toEqual([
      span(0, 3 * S, true),
    ]);
    expect(paint([span(null, null, true)], { from: S, to: 3 * S }, { value: true })).toEqual([
      span(null, null, true),
    ]);
  });

  test("what is wiped away is not expected any more", () => {
    expect(paint([span(null, null, true)], { from: S, to: 3 * S }, null)).toEqual([
      span(null, S, true),
      span(3 * S, null, true),
    ]);
    expect(paint([span(null, null, true)], { from: null, to: null }, null)).toEqual([]);
  });

  test("a line goes on from where it is cut", () => {
    const climbing = { from: 0, to: 10 * S, value: 0, slope: 2 };
    expect(paint([climbing], { from: 3 * S, to: 4 * S }, null)).toEqual([
      { ...climbing, to: 3 * S },
      { from: 4 * S, to: 10 * S, value: 8, slope: 2 },
    ]);
  });

  test("a stretch without length changes nothing", () => {
    const before = [span(0, S, true)];
    expect(paint(before, { from: 5, to: 5 }, { value: false })).toEqual(before);
  });

  const end = fc.option(fc.integer({ min: 0, max: 50 }), { nil: null });
  const stroke = fc.record({
    from: end,
    to: end,
    value: fc.constantFrom(true, false, null, "gone" as const),
  });
  test("after any strokes each instant says what was painted there last, and nothing overlaps", () => {
    fc.assert(
      fc.property(fc.array(stroke, { maxLength: 20 }), (strokes) => {
        let spans: ExpectedSpan[] = [];
        const wanted = new Map<number, boolean | null | undefined>();
        for (const { from, to, value } of strokes) {
          spans = paint(spans, { from, to }, value === "gone" ? null : { value });
          for (let t = -1; t <= 51; t += 1)
            if (t >= (from ?? -Infinity) && t < (to ?? Infinity) && (from ?? -Infinity) < (to ?? Infinity))
              wanted.set(t, value === "gone" ? undefined : value);
        }
        const at = (t: number) =>
          spans.filter(({ from, to }) => t >= (from ?? -Infinity) && t < (to ?? Infinity));
        for (let t = -1; t <= 51; t += 1) {
          expect(at(t).length).toBe(wanted.get(t) === undefined ? 0 : 1);
          expect(at(t)[0]?.value).toBe(wanted.get(t));
        }
      }),
    );
  });
});

describe("expectations", () => {
  const one = { node: "a", key: "k", spans: [] };
  test("are found, replaced, taken away and renamed", () => {
    const two = withExpectation(withExpectation([], one), { ...one, node: "b" });
    expect(two).toHaveLength(2);
    expect(expectationOf(two, "b", "k")?.node).toBe("b");
    expect(withExpectation(two, { ...one, tolerance: 1 })).toHaveLength(2);
    expect(withoutExpectation(two, "a", "k")).toEqual([{ ...one, node: "b" }]);
    expect(renamed(two, { a: "c" }).map(({ node }) => node)).toEqual(["c", "b"]);
  });

  test("are taken from what comes out", () => {
    expect(
      expectAnswer([
        { t: null, value: false },
        { t: S, value: true },
      ]),
    ).toEqual([span(null, S, false), span(S, null, true)]);
  });
});

describe("an answer", () => {
  const answer: NodeAnswer = {
    node: "a",
    key: "k",
    kind: "text",
    points: [
      { t: null, value: null },
      { t: 2 * S, value: "play" },
      { t: 9 * S, value: "buffer" },
    ],
  };
  test("has edges, values and a window that shows all of it", () => {
    expect(edgesOf([answer], [span(3 * S, null, "play")])).toEqual([2 * S, 3 * S, 9 * S]);
    expect(valuesOf(answer, [])).toEqual(["buffer", "play", null]);
    expect(valuesOf({ ...answer, kind: "bool" }, [])).toEqual([true, false, null]);
    const { start, end } = wholeWindow([2 * S, 9 * S], []);
    expect([start <= S, end >= 10 * S]).toEqual([true, true]);
    const wider = wholeWindow([2 * S, 9 * S], [NaN, 5 * S, 20 * S]);
    expect([wider.start <= S, wider.end >= 21 * S]).toEqual([true, true]);
  });

  test("is painted from edge to edge, or where nothing is near, in round steps", () => {
    expect(snapToEdge(2 * S + 5, [2 * S, 9 * S], 10)).toBe(2 * S);
    expect(snapToEdge(4_123_456, [2 * S, 9 * S], 100_000)).toBe(4_120_000);
    expect(findStretchAround(3 * S, [2 * S, 9 * S])).toEqual({ from: 2 * S, to: 9 * S });
    expect(findStretchAround(S, [2 * S, 9 * S])).toEqual({ from: null, to: 2 * S });
  });

  test("is drawn only where something is expected", () => {
    const seen = expectedIn([span(2 * S, 3 * S, true), span(5 * S, null, false)], { start: 0, end: 8 * S });
    expect(seen.map(({ start, end, value }) => [start, end, value])).toEqual([
      [2 * S, 3 * S, true],
      [5 * S, 8 * S, false],
    ]);
  });

  test("is spelled with its slope", () => {
    expect(spellSaid({ value: 1.5, slope: 1 })).toBe("1.5 (+1/s)");
    expect(spellSaid({ value: null })).toBe("unknown");
    expect(spellSaid({ num: { value: 1, slope: 0 }, den: { value: 4, slope: 0 } })).toBe("0.25");
    expect(saidFrom({ value: 1, slope: 2 }, 0, S)).toEqual({ value: 3, slope: 2 });
  });
});
