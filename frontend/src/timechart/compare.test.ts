import { afterEach, describe, expect, test } from "vitest";
import { setZone } from "../core/time/zone";
import { earlierAt, gapOf, isComparison, shiftLane, shiftOf, formatEarlier, formatGaps } from "./compare";
import { EMPTY } from "./lane";

const SECOND = 1_000_000;
const HOUR = 3600 * SECOND;
const at = (iso: string): number => Date.parse(iso) * 1000;
const window = { start: at("2026-03-29T09:00:00Z"), end: at("2026-03-29T10:00:00Z") };

afterEach(() => setZone("UTC"));

describe("how far back the earlier period lies", () => {
  test("as long as the range, without the room after now", () => {
    expect(shiftOf("period", window, "5m", false)).toBe(300 * SECOND);
    expect(shiftOf("period", window, "5m", true)).toBe(HOUR);
    expect(shiftOf("period", window, "all", false)).toBeNull();
  });

  test("a day and a week go by the clocks, which were put forward on this day", () => {
    setZone("Europe/Berlin");
    expect(shiftOf("day", window, "5m", false)).toBe(23 * HOUR);
    expect(shiftOf("period", window, "today", false)).toBe(23 * HOUR);
    expect(shiftOf("week", window, "5m", false)).toBe(167 * HOUR);
    setZone("UTC");
    expect(shiftOf("day", window, "5m", false)).toBe(24 * HOUR);
  });

  test("only what is offered is read from an address", () => {
    expect(["period", "toString", null].map(isComparison)).toEqual([true, false, false]);
  });
});

describe("what it said", () => {
  const lane = shiftLane(
    {
      ...EMPTY,
      pieces: [
        { t: null, value: null, slope: 0 },
        { t: 10 * SECOND, value: 4, slope: 1 },
      ],
    },
    HOUR,
  );

  test("is read and differs at the time with which it is compared", () => {
    const before = earlierAt(lane, HOUR + 12 * SECOND);
    const now = { value: 7.5, from: 0, to: null, slope: 0 };
    expect(formatEarlier(now, before, {})).toBe("6 before, +1.5");
    expect(formatEarlier({ ...now, value: 6 }, before, {})).toBe("6 before, same");
    expect(formatEarlier({ ...now, value: 5 }, before, { format: "percent" })).toBe("600 % before, −100 %");
    expect(formatEarlier(now, earlierAt(lane, HOUR), {})).toBe("unknown before");
    expect(formatEarlier(now, null, {})).toBe("");
  });

  test("a state has no difference", () => {
    const [play, pause] = ["play", "pause"].map((value) => ({ value, from: 0, to: null, slope: 0 }));
    expect(formatEarlier(play ?? null, pause ?? null, {})).toBe("pause before");
  });

  test("is not read where changes are left out", () => {
    const leftOut = [{ from: 0, to: HOUR, changes: 9, low: 1, high: 2, unknown: 0 }];
    expect(earlierAt({ ...lane, leftOut }, HOUR / 2)).toBeNull();
  });
});

test("what is not known of the earlier period is said with its reason", () => {
  const known = {
    lane: { pieces: [{ t: 0, value: 1, slope: 0 }], leftOut: [] },
    birth: null,
    resultsFrom: null,
  };
  const period = { start: at("2026-01-01T00:00:00Z"), end: at("2026-01-01T01:00:00Z") };
  const unborn = gapOf({ ...known, birth: at("2026-01-01T00:30:00Z") }, period);
  const removed = gapOf({ ...known, resultsFrom: at("2026-01-02T00:00:00Z") }, period);
  const unknown = gapOf({ ...known, lane: { pieces: [], leftOut: [] } }, period);
  const late = {
    pieces: [
      { t: null, value: null, slope: 0 },
      { t: period.start + SECOND, value: 1, slope: 0 },
    ],
    leftOut: [],
  };
  expect(formatGaps([gapOf({ ...known, lane: late }, period)])).toBe(
    "nothing is known before 2026-01-01 00:00:01 UTC",
  );
  expect(gapOf(known, period)).toBeNull();
  expect(formatGaps([null])).toBe("");
  expect(formatGaps([unborn])).toBe("no events before 2026-01-01 00:30:00 UTC");
  expect(formatGaps([null, removed, unknown])).toBe(
    "results before 2026-01-02 00:00:00 UTC were removed (1 of 3 lanes) · nothing is known of that time (1 of 3 lanes)",
  );
});
