import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LeftOut, RevisionMessage, SnapshotMessage, WirePoint } from "../core/api/types";
import { bounds, describeLeftOut, leftOutAt, selectVisibleParts, computeShares } from "./thinned";
import { LIGHT, Register } from "./colours";
import { buildFigure } from "./figure";
import { needsDetail } from "./view";
import { selectRoundValues } from "./numbers";
import { EMPTY, applyMessage, type Lane } from "./lane";
import { buildSpans } from "./spans";

const SECOND = 1_000_000;
const state: LeftOut = {
  from: 10 * SECOND,
  to: 20 * SECOND,
  changes: 37,
  shares: [
    ["play", 6],
    [null, 3],
  ],
  others: 1,
};
const number: LeftOut = { from: 0, to: SECOND, changes: 3, low: -1, high: 4, unknown: 0 };

describe("what is left out", () => {
  test("is found around an instant, its end excluded", () => {
    const all = [number, state];
    expect(leftOutAt(all, 15 * SECOND)).toBe(state);
    expect(leftOutAt(all, 20 * SECOND)).toBeNull();
    expect(leftOutAt(all, 5 * SECOND)).toBeNull();
    expect(leftOutAt([], 0)).toBeNull();
  });

  test("is told in one line", () => {
    expect(describeLeftOut(state)).toBe("play 60 %, unknown 30 %, others 10 %");
    expect(describeLeftOut(number)).toBe("from -1 to 4");
    expect(describeLeftOut({ ...number, low: null, high: null })).toBe("unknown");
  });

  test("fills the height with the shares of the time, of numbers its bounds", () => {
    const parts = computeShares([state]);
    expect(parts[0]?.low).toBe(0);
    expect(parts.at(-1)?.high).toBe(1);
    expect(parts.map(({ low, high }) => Math.round((high - low) * 10)).sort()).toEqual([1, 3, 6]);
    expect(bounds([number])).toEqual([{ start: 0, end: SECOND, low: -1, high: 4, value: -1 }]);
  });

  test("is seen only where it has come to pass", () => {
    expect(selectVisibleParts([state], { start: 0, end: 30 * SECOND }, 9 * SECOND)).toEqual([]);
    expect(selectVisibleParts([state], { start: 20 * SECOND, end: 30 * SECOND }, 40 * SECOND)).toEqual([]);
    expect(selectVisibleParts([state], { start: 0, end: 30 * SECOND }, 40 * SECOND)).toEqual([state]);
  });
});

const standing = {
  id: "s",
  final_until: null,
  as_of: null,
  newest_event: null,
  stopped_at: null,
  behind: null,
};

function snapshot(points: WirePoint[], leftOut: LeftOut[]): SnapshotMessage {
  return {
    type: "snapshot",
    seq: 0,
    node: "n",
    key: "k",
    kind: "text",
    points,
    version: 1,
    left_out: leftOut,
    birth: 5,
    ...standing,
  };
}

const thinned = (): Lane =>
  applyMessage(
    EMPTY,
    snapshot(
      [
        [null, null],
        [10 * SECOND, "play"],
        [20 * SECOND, "pause"],
        [30 * SECOND, "play"],
      ],
      [state],
    ),
    50 * SECOND,
  );

describe("a thinned lane", () => {
  const message: RevisionMessage = {
    type: "revision",
    seq: 1,
    version: 2,
    known_at: 1,
    start: 8 * SECOND,
    end: 24 * SECOND,
    pieces: [
      [8 * SECOND, null],
      [10 * SECOND, "play"],
      [20 * SECOND, "pause"],
    ],
    left_out: [{ ...state, changes: 38 }],
    changed: [12 * SECOND, 13 * SECOND],
    ...standing,
  };

  test("draws no span inside of what is left out", () => {
    const { pieces, leftOut } = thinned();
    const drawn = buildSpans(pieces, { start: 0, end: 40 * SECOND }, 40 * SECOND, null, leftOut);
    expect(drawn.some((span) => span.start < 20 * SECOND && span.end > 10 * SECOND)).toBe(false);
    expect(drawn.some((span) => span.value === "pause")).toBe(true);
  });

  test("takes what a revision leaves out for what was left out there", () => {
    const lane = applyMessage(thinned(), message, 50 * SECOND);
    expect(lane.leftOut).toEqual([{ ...state, changes: 38 }]);
    expect(lane.birth).toBe(5);
  });

  test("was corrected where the server says so, not in whole pixels", () => {
    const [corrected] = applyMessage(thinned(), message, 50 * SECOND).corrections;
    expect(corrected).toMatchObject({ start: 12 * SECOND, end: 13 * SECOND });
    const goesOn = { ...message, changed: [31 * SECOND, null] as [number, null] };
    expect(applyMessage(thinned(), goesOn, 50 * SECOND).corrections).toEqual([]);
  });

  test("another look at it is no correction", () => {
    const closer = snapshot(
      [
        [null, null],
        [10 * SECOND, "play"],
        [11 * SECOND, "x"],
        [20 * SECOND, "pause"],
      ],
      [],
    );
    expect(applyMessage(thinned(), closer, 50 * SECOND).corrections).toEqual([]);
  });

  test("needs a closer look where something is left out of what is seen, once", () => {
    const window = { start: 9 * SECOND, end: 12 * SECOND };
    expect(needsDetail(thinned(), window, null)).toBe(true);
    expect(needsDetail(thinned(), { start: 21 * SECOND, end: 25 * SECOND }, null)).toBe(false);
    expect(needsDetail(thinned(), window, [8 * SECOND, 13 * SECOND])).toBe(false);
    expect(needsDetail(thinned(), window, [0, 100 * SECOND])).toBe(true);
    expect(needsDetail(thinned(), window, [10 * SECOND, 13 * SECOND])).toBe(true);
  });
});

test("however many spans there are, few paths draw them", () => {
  const pieces = Array.from({ length: 5000 }, (_, i) => ({
    t: i === 0 ? null : i * SECOND,
    value: i % 3 === 0 ? "a" : i % 3 === 1 ? "b" : null,
    slope: 0,
  }));
  const window = { start: 0, end: 5000 * SECOND };
  const seenSpans = buildSpans(pieces, window, 4000 * SECOND, 3000 * SECOND);
  const { data } = buildFigure({
    kind: "text",
    spans: seenSpans,
    window,
    finalUntil: null,
    theme: LIGHT,
    register: new Register(10),
  });
  expect(seenSpans.length).toBeGreaterThan(3900);
  expect(data.length).toBeLessThan(30);
});

test("round values lie between the bounds of any scale", () => {
  const bound = fc.double({ min: -1e9, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(bound, fc.double({ min: 1e-3, max: 1e9, noNaN: true }), (low, length) => {
      const ticks = selectRoundValues(low, low + length);
      expect(ticks.length).toBeLessThanOrEqual(4);
      const nearly = Math.max(length, Math.abs(low)) * 1e-6;
      expect(ticks.every((tick) => tick >= low - nearly && tick <= low + length + nearly)).toBe(true);
    }),
  );
});

test("folding the revisions of a thinned lane keeps what is left out in order and apart", () => {
  const entry = (from: number, to: number): LeftOut => ({ ...state, from, to });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(90), fc.integer({ min: 1, max: 10 })), { maxLength: 30 }),
      (steps) => {
        let lane = thinned();
        for (const [place, length] of steps) {
          const [start, end] = [place * 10 * SECOND, (place + length) * 10 * SECOND];
          const left = Array.from({ length }, (_, i) =>
            entry(start + i * 10 * SECOND, start + (i + 1) * 10 * SECOND - 1),
          );
          const news = { type: "revision" as const, seq: 1, version: 2, known_at: 1, start, end };
          const pieces = left.flatMap(({ from, to }): WirePoint[] => [
            [from, "a"],
            [to, "b"],
          ]);
          lane = applyMessage(
            lane,
            { ...news, pieces, left_out: left, changed: [start, end], ...standing },
            1e9 * SECOND,
          );
        }
        const bounds = lane.leftOut.flatMap(({ from, to }) => [from, to]);
        expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
        expect(new Set(lane.leftOut.map(({ from }) => from)).size).toBe(lane.leftOut.length);
      },
    ),
  );
});
