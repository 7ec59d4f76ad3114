import { afterEach, describe, expect, test } from "vitest";
import { formatMoment } from "./format";
import { isRange, lengthOfRange, spellRange, windowOfRange } from "./range";
import { setZone } from "./zone";

const at = (iso: string): number => Date.parse(iso) * 1000;

afterEach(() => setZone(""));

test.each(["1m", "36h", "30d", "9999d", "today", "yesterday", "week"])("%s is a range", (text) =>
  expect(isRange(text)).toBe(true),
);

test.each([null, "", "0m", "5", "m", "5s", "-5m", "10000d", "tomorrow", "toString", "all"])(
  "%s is none",
  (text) => expect(isRange(text)).toBe(false),
);

test("ranges are spelled", () => {
  expect(["90m", "36h", "30d", "today", "week"].map(spellRange)).toEqual([
    "last 90 min",
    "last 36 h",
    "last 30 d",
    "today",
    "this week",
  ]);
  expect(lengthOfRange("2h")).toBe(7_200_000_000);
  expect(lengthOfRange("today")).toBeNull();
});

describe("on the day on which the clocks of Berlin are put forward", () => {
  const now = at("2024-03-31T10:00:00Z");
  const ends = (range: string): string[] => {
    setZone("Europe/Berlin");
    const { start, end } = windowOfRange(range, now);
    return [formatMoment(start), formatMoment(end)];
  };

  test("today began at its midnight, ten hours ago", () =>
    expect(ends("today")).toEqual(["2024-03-31 00:00:00 UTC+1", "2024-03-31 12:00:00 UTC+2"]));

  test("yesterday is all of the day before", () =>
    expect(ends("yesterday")).toEqual(["2024-03-30 00:00:00 UTC+1", "2024-03-31 00:00:00 UTC+1"]));

  test("this week began on Monday", () =>
    expect(ends("week")).toEqual(["2024-03-25 00:00:00 UTC+1", "2024-03-31 12:00:00 UTC+2"]));

  test("the last hour is an hour", () =>
    expect(ends("1h")).toEqual(["2024-03-31 11:00:00 UTC+2", "2024-03-31 12:00:00 UTC+2"]));
});

test("the day is that of the zone", () => {
  const now = at("2024-07-01T20:00:00Z");
  setZone("Asia/Kolkata");
  expect(windowOfRange("today", now).start).toBe(at("2024-07-01T18:30:00Z"));
  setZone("America/New_York");
  expect(windowOfRange("today", now).start).toBe(at("2024-07-01T04:00:00Z"));
});
