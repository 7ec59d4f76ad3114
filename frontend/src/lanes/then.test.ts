import { expect, test } from "vitest";
import type { Then } from "../api/types";
import { EMPTY } from "./lane";
import { laneOf, reading, shownThen } from "./then";

const then = {
  points: [
    { t: null, value: null },
    { t: 5, value: 2, slope: 1 },
  ],
  final_until: 9,
} as unknown as Then;

test("what was known then is drawn as a number once it is told that the lane is one, however late", () => {
  const early = laneOf(then);
  expect(shownThen(early, EMPTY).kind).toBeNull();
  const shown = shownThen(early, { ...EMPTY, kind: "number", seq: 7 });
  expect([shown.kind, shown.pieces.at(-1)?.value, shown.finalUntil]).toEqual(["number", 2, 9]);
});

test("it is said that one reads until every lane that is followed shows the moment that was chosen", () => {
  const lane = (of: number) => ({ lane: EMPTY, then: null, of });
  expect(reading({ knownAt: null, lanes: { a: lane(3) } })).toBe(false);
  expect(reading({ knownAt: 7, lanes: {} })).toBe(true);
  expect(reading({ knownAt: 7, lanes: { a: lane(7), b: lane(3) } })).toBe(true);
  expect(reading({ knownAt: 7, lanes: { a: lane(7), b: lane(7) } })).toBe(false);
});
