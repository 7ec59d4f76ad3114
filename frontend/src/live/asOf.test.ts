import { expect, test } from "vitest";
import type { AsOfTimeline } from "../core/api/types";
import { EMPTY } from "../timechart/lane";
import { buildAsOfLane, isLoading, withCurrentKind } from "./asOf";

const then = {
  points: [
    { t: null, value: null },
    { t: 5, value: 2, slope: 1 },
  ],
  final_until: 9,
} as unknown as AsOfTimeline;

test("what was of then is drawn as a number once it is told that the lane is one, however late", () => {
  const early = buildAsOfLane(then);
  expect(withCurrentKind(early, EMPTY).kind).toBeNull();
  const lane = withCurrentKind(early, { ...EMPTY, kind: "number", seq: 7 });
  expect([lane.kind, lane.pieces.at(-1)?.value, lane.finalUntil]).toEqual(["number", 2, 9]);
});

test("it is said that one reads until every lane is answered for the moment and for all that is seen", () => {
  const window = { start: 10, end: 20 };
  const lane = (of: number, end = 30) => ({
    lane: EMPTY,
    then: null,
    failure: null,
    seq: 0,
    of,
    sheet: { start: 0, end },
  });
  expect(isLoading({ knownAt: null, lanes: { a: lane(3) } }, window)).toBe(false);
  expect(isLoading({ knownAt: 7, lanes: {} }, window)).toBe(true);
  expect(isLoading({ knownAt: 7, lanes: { a: lane(7), b: lane(3) } }, window)).toBe(true);
  expect(isLoading({ knownAt: 7, lanes: { a: lane(7), b: null } }, window)).toBe(true);
  expect(isLoading({ knownAt: 7, lanes: { a: lane(7), b: lane(7, 15) } }, window)).toBe(true);
  expect(isLoading({ knownAt: 7, lanes: { a: lane(7), b: lane(7) } }, window)).toBe(false);
});
