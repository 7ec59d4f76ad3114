import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY, type Lane } from "./lane";
import {
  buildWindow,
  computeFollowedWindow,
  endWindowBefore,
  lengthOf,
  findNextChange,
  panWindow,
  moveIntoView,
  computeWholeWindow,
  zoomWindow,
} from "./view";

const SECOND = 1_000_000;
const lane = (...times: (number | null)[]): Lane => ({
  ...EMPTY,
  pieces: times.map((t, i) => ({ t, value: i, slope: 0 })),
});
const instant = fc.integer({ min: 0, max: 10 ** 15 });
const shown = fc
  .tuple(instant, fc.integer({ min: SECOND, max: 10 ** 12 }))
  .map(([start, long]) => ({ start, end: start + long }));

describe("the window", () => {
  test("follows now, with a little room after it", () => {
    const { start, end } = computeFollowedWindow("1m", [], 100 * 60 * SECOND);
    expect(start).toBe(99 * 60 * SECOND);
    expect(end).toBeGreaterThan(100 * 60 * SECOND);
  });

  test("that was zoomed to stays, and where all of it lies after the last instant it ends there", () => {
    const held = { start: 60 * SECOND, end: 90 * SECOND };
    expect(endWindowBefore(held, 70 * SECOND)).toBe(held);
    expect(endWindowBefore(held, 50 * SECOND)).toEqual({ start: 20 * SECOND, end: 50 * SECOND });
  });

  test("of all time begins before the first change of any lane", () => {
    const { start, end } = computeWholeWindow(
      [lane(null, 50 * SECOND), lane(null, 20 * SECOND)],
      80 * SECOND,
    );
    expect(start).toBeLessThan(20 * SECOND);
    expect(end).toBeGreaterThan(80 * SECOND);
  });

  test("keeps the instant under the pointer where it is while it is zoomed, and comes back", () => {
    fc.assert(
      fc.property(shown, fc.double({ min: 0, max: 1, noNaN: true }), (window, share) => {
        const at = window.start + share * lengthOf(window);
        const closer = zoomWindow(window, at, 0.5);
        expect((at - closer.start) / lengthOf(closer)).toBeCloseTo(share, 3);
        const back = zoomWindow(closer, at, 2);
        expect(Math.abs(back.start - window.start)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("is never so short that nothing could be seen, however far it is zoomed", () => {
    const closest = Array.from({ length: 60 }).reduce<{ start: number; end: number }>(
      (window) => zoomWindow(window, 5 * SECOND, 0.5),
      { start: 0, end: 10 * SECOND },
    );
    expect(lengthOf(closest)).toBeGreaterThanOrEqual(999);
    expect(lengthOf(buildWindow(7, 7))).toBeGreaterThan(0);
  });

  test("keeps its length while it is panned, and comes back", () => {
    fc.assert(
      fc.property(shown, fc.integer({ min: -400, max: 400 }), (window, percent) => {
        const moved = panWindow(window, percent / 100);
        expect(lengthOf(moved)).toBeCloseTo(lengthOf(window), 0);
        expect(panWindow(moved, -percent / 100).start).toBeCloseTo(window.start, 0);
      }),
    );
  });

  test("moves as far as the cursor makes it, and not at all where it is seen", () => {
    fc.assert(
      fc.property(shown, instant, (window, at) => {
        const { start, end } = moveIntoView(window, at);
        expect(start <= at && at <= end).toBe(true);
        if (window.start <= at && at <= window.end) expect({ start, end }).toEqual(window);
      }),
    );
  });
});

describe("the next change", () => {
  const lanes = [lane(null, 10, 30), lane(null, 20, 50)];

  test("is that of the lane where it comes first, either way", () => {
    expect(findNextChange(lanes, 10, 1, 40)).toBe(20);
    expect(findNextChange(lanes, 20, 1, 40)).toBe(30);
    expect(findNextChange(lanes, 20, -1, 40)).toBe(10);
    expect(findNextChange(lanes, 25, -1, 40)).toBe(20);
  });

  test("is nothing before the first, and nothing that has not happened yet", () => {
    expect(findNextChange(lanes, 10, -1, 40)).toBeNull();
    expect(findNextChange(lanes, 30, 1, 40)).toBeNull();
  });
});
