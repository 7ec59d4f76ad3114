import { describe, expect, test } from "vitest";
import type { Piece } from "./pieces";
import { readingAt, buildSpans } from "./spans";

const SECOND = 1_000_000;
const pieces: Piece[] = [
  { t: null, value: null, slope: 0 },
  { t: 10 * SECOND, value: 0, slope: 1 },
  { t: 20 * SECOND, value: 10, slope: 0 },
];
const window = { start: 0, end: 40 * SECOND };

describe("spans", () => {
  test("cover the window up to now without a hole", () => {
    const seen = buildSpans(pieces, window, 38 * SECOND, 15 * SECOND);
    expect(seen[0]?.start).toBe(0);
    expect(seen.at(-1)?.end).toBe(38 * SECOND);
    seen.slice(1).forEach((span, i) => expect(span.start).toBe(seen[i]?.end));
  });

  test("of what has stopped end at full strength, where it did", () => {
    const last = buildSpans(pieces, window, 30 * SECOND, null, [], false).at(-1);
    expect(last).toMatchObject({ end: 30 * SECOND, strength: 1 });
    expect(buildSpans(pieces, window, 30 * SECOND, null).at(-1)?.strength).toBeLessThan(1);
  });

  test("keep true slopes: values at both ends", () => {
    const climbing = buildSpans(pieces, { start: 12 * SECOND, end: 40 * SECOND }, 40 * SECOND, null)[0];
    expect(climbing).toMatchObject({ value: 2, endValue: 10, from: 10 * SECOND, to: 20 * SECOND });
  });

  test("are provisional after final_until, and cut there", () => {
    const seen = buildSpans(pieces, window, 40 * SECOND, 15 * SECOND);
    const firstProvisional = seen.find((span) => span.provisional);
    expect(firstProvisional).toMatchObject({ start: 15 * SECOND, value: 5 });
    expect(seen.filter((span) => span.provisional).every((span) => span.start >= 15 * SECOND)).toBe(true);
  });

  test("fade towards the open end", () => {
    const strengths = buildSpans(pieces, window, 40 * SECOND, null).map((span) => span.strength);
    expect(strengths.at(-1)).toBeLessThan(0.2);
    expect([...strengths].sort((a, b) => b - a)).toEqual(strengths);
  });

  test("what begins at the very end of what is known is a stroke there, and what has begun before is as it was", () => {
    const at = (now: number) => buildSpans(pieces, window, now, 15 * SECOND, [], false);
    const last = at(20 * SECOND).at(-1);
    expect(last).toMatchObject({ start: 20 * SECOND, value: 10, provisional: true, strength: 1 });
    expect((last?.end ?? 0) - 20 * SECOND).toBeGreaterThan(0);
    expect(at(20 * SECOND).at(-2)).toMatchObject({ end: 20 * SECOND, endValue: 10 });
    expect(at(21 * SECOND).at(-1)).toMatchObject({ start: 20 * SECOND, end: 21 * SECOND });
    expect(buildSpans(pieces, { start: 0, end: 20 * SECOND }, 20 * SECOND, null).at(-1)?.to).toBe(
      20 * SECOND,
    );
  });

  test("outside of the window there are none", () => {
    expect(buildSpans(pieces, { start: 50 * SECOND, end: 60 * SECOND }, 40 * SECOND, null)).toEqual([]);
  });
});

test("a reading says the value, from when and until when", () => {
  expect(readingAt(pieces, 15 * SECOND)).toEqual({ value: 5, from: 10 * SECOND, to: 20 * SECOND, slope: 1 });
  expect(readingAt(pieces, 30 * SECOND)).toMatchObject({ value: 10, to: null });
  expect(readingAt([], 0)).toBeNull();
});
