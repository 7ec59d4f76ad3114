import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyRevision,
  findCorrection,
  findDifference,
  normalise,
  pieceAt,
  valueAt,
  type Piece,
  type Revision,
} from "./pieces";

const SECOND = 1_000_000;
const HORIZON = 24;

/** The slow referee: what holds at each whole second, looked up one by one. */
type ExpectedPiece = { value: Piece["value"]; slope: number };
function toldAt(pieces: readonly Piece[], second: number): ExpectedPiece | undefined {
  let told: ExpectedPiece | undefined;
  for (const piece of pieces) {
    if (piece.t !== null && piece.t > second * SECOND) break;
    const climbed = piece.t === null ? 0 : piece.slope * (second - piece.t / SECOND);
    told = {
      value: typeof piece.value === "number" ? piece.value + climbed : piece.value,
      slope: piece.slope,
    };
  }
  return told;
}
function refereed(pieces: readonly Piece[], revision: Revision, second: number): ExpectedPiece | undefined {
  const within =
    (revision.start === null || second * SECOND >= revision.start) &&
    (revision.end === null || second * SECOND < revision.end);
  return toldAt(within ? revision.pieces : pieces, second);
}

const seconds = Array.from({ length: HORIZON + 2 }, (_, second) => second);
const steps = fc.constantFrom<Piece["value"]>("play", "buffer", "ended", null);
const numbers = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(null));

function timeline(values: fc.Arbitrary<Piece["value"]>, slopes: fc.Arbitrary<number>): fc.Arbitrary<Piece[]> {
  const piece = fc
    .tuple(values, slopes)
    .map(([value, slope]) => ({ value, slope: value === null ? 0 : slope }));
  const changes = fc.uniqueArray(fc.integer({ min: 0, max: HORIZON }), { maxLength: 8 });
  return fc
    .tuple(piece, changes, fc.array(piece, { minLength: 8, maxLength: 8 }))
    .map(([first, times, rest]) => {
      const sorted = [...times].sort((a, b) => a - b);
      const later = sorted.map((second, i) => ({ t: second * SECOND, value: null, slope: 0, ...rest[i] }));
      return normalise([{ t: null, value: first.value, slope: 0 }, ...later]);
    });
}
const timelines = fc.oneof(
  timeline(steps, fc.constant(0)),
  timeline(numbers, fc.integer({ min: -1, max: 2 })),
);

/** A revision as a server would send it: the new timeline, cut to a stretch. */
function cut(after: readonly Piece[], start: number | null, end: number | null): Revision {
  const from = start ?? -Infinity;
  const held = start === null ? undefined : pieceAt(after, start);
  const opening = held && start !== null ? [{ ...held, t: start, value: valueAt(held, start) }] : [];
  const inside = after.filter(
    (p) => (p.t ?? -Infinity) >= from && (end === null || (p.t ?? -Infinity) < end),
  );
  return { start, end, pieces: [...opening, ...inside.filter((p) => start === null || p.t !== start)] };
}
const bound = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: HORIZON }));
const stretches = fc
  .tuple(bound, bound)
  .filter(([start, end]) => start === null || end === null || start < end)
  .map(
    ([start, end]) => [start === null ? null : start * SECOND, end === null ? null : end * SECOND] as const,
  );
const revisions = fc.tuple(timelines, stretches).map(([after, [start, end]]) => cut(after, start, end));

describe("applying a revision", () => {
  test("says inside the stretch what the revision says, outside what was said before", () => {
    fc.assert(
      fc.property(timelines, revisions, (before, revision) => {
        const after = applyRevision(before, revision);
        for (const second of seconds)
          expect(toldAt(after, second)).toEqual(refereed(before, revision, second));
      }),
    );
  });

  test("is idempotent", () => {
    fc.assert(
      fc.property(timelines, revisions, (before, revision) => {
        const once = applyRevision(before, revision);
        expect(applyRevision(once, revision)).toEqual(once);
      }),
    );
  });

  test("gives the normal form", () => {
    fc.assert(
      fc.property(timelines, revisions, (before, revision) => {
        const after = applyRevision(before, revision);
        expect(normalise(after)).toEqual(after);
        const times = after.slice(1).map((piece) => piece.t ?? NaN);
        expect(times.every((t, i) => i === 0 || t > (times[i - 1] ?? NaN))).toBe(true);
      }),
    );
  });

  test("fills an empty timeline", () => {
    const pieces = [{ t: null, value: false, slope: 0 }];
    expect(applyRevision([], { start: null, end: null, pieces })).toEqual(pieces);
  });

  test("anchors a line that goes on after the stretch", () => {
    const before = [
      { t: null, value: 0, slope: 0 },
      { t: 0, value: 0, slope: 1 },
    ];
    const pause = { start: 2 * SECOND, end: 4 * SECOND, pieces: [{ t: 2 * SECOND, value: 2, slope: 0 }] };
    expect(applyRevision(before, pause)).toEqual([
      ...before,
      { t: 2 * SECOND, value: 2, slope: 0 },
      { t: 4 * SECOND, value: 4, slope: 1 },
    ]);
  });
});

describe("differences and corrections", () => {
  test("a difference holds every second that differs, and its first instant differs", () => {
    fc.assert(
      fc.property(timelines, timelines, (before, after) => {
        const difference = findDifference(before, after);
        const wrong = seconds.filter(
          (s) => JSON.stringify(toldAt(before, s)) !== JSON.stringify(toldAt(after, s)),
        );
        const covers = (s: number): boolean =>
          difference !== null &&
          s * SECOND >= (difference.start ?? -Infinity) &&
          s * SECOND < (difference.end ?? Infinity);
        expect(wrong.every(covers)).toBe(true);
        if (difference !== null && difference.start !== null)
          expect(wrong[0]).toBe(difference.start / SECOND);
      }),
    );
  });

  const state = (...changes: [number, string][]): Piece[] => [
    { t: null, value: null, slope: 0 },
    ...changes.map(([second, value]) => ({ t: second * SECOND, value, slope: 0 })),
  ];

  test("a timeline that goes on is no correction", () => {
    const before = state([1, "play"], [5, "buffer"]);
    expect(findCorrection(before, state([1, "play"], [5, "buffer"], [9, "play"]), 20 * SECOND)).toBeNull();
  });

  test("an event before the last change point is one, and only what it changed", () => {
    const before = state([1, "play"], [9, "ended"]);
    const after = state([1, "play"], [3, "buffer"], [5, "play"], [9, "ended"]);
    expect(findCorrection(before, after, 20 * SECOND)).toEqual({ start: 3 * SECOND, end: 5 * SECOND });
  });

  test("a change point that was only expected can still move", () => {
    const before: Piece[] = [...state([1, "true"]), { t: 6 * SECOND, value: "false", slope: 0 }];
    const after: Piece[] = [...state([1, "true"]), { t: 9 * SECOND, value: "false", slope: 0 }];
    expect(findCorrection(before, after, 4 * SECOND)).toBeNull();
  });
});
