import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { formatTick, layTicks } from "./ticks";
import { DAY, MINUTE, setZone, toLocal } from "./zone";

const HOUR = 60 * MINUTE;
const at = (iso: string): number => Date.parse(iso) * 1000;
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "America/Sao_Paulo",
  "Pacific/Apia",
];

afterEach(() => setZone(""));

const words = (from: string, to: string, most = 9): string[] => {
  const window = { start: at(from), end: at(to) };
  const { at: ticks, step } = layTicks(window, most);
  return ticks.map((t) => formatTick(t, step, window));
};

describe("the ticks of any window in any zone", () => {
  const windows = fc
    .tuple(
      fc.constantFrom(...ZONES),
      fc.integer({ min: at("1990-01-01"), max: at("2037-01-01") }),
      fc.double({ min: 3, max: 15, noNaN: true }),
      fc.integer({ min: 2, max: 12 }),
    )
    .map(([zone, start, power, most]) => ({ zone, start, end: start + 10 ** power, most }));

  test("lie in it, each after the one before, and are about as many as there is room for", () => {
    fc.assert(
      fc.property(windows, ({ zone, start, end, most }) => {
        setZone(zone);
        const { at: ticks } = layTicks({ start, end }, most);
        expect(ticks.every((t, i) => t >= start && t <= end && t > (ticks[i - 1] ?? -Infinity))).toBe(true);
        // Clocks that are put back by an hour show an hour more.
        expect(ticks.length).toBeLessThanOrEqual(most + 1 + HOUR / MINUTE);
        if (Math.abs(end - start) > 2 * DAY) expect(ticks.length).toBeLessThanOrEqual(most + 2);
      }),
    );
  });

  test("are round times of its clocks", () => {
    fc.assert(
      fc.property(windows, ({ zone, start, end, most }) => {
        setZone(zone);
        const { at: ticks, step } = layTicks({ start, end }, most);
        if (step < DAY) expect(ticks.map((t) => toLocal(t) % step)).toEqual(ticks.map(() => 0));
        else {
          const isFirst = (t: number): boolean =>
            Math.floor(toLocal(t - 1) / DAY) < Math.floor(toLocal(t) / DAY);
          expect(ticks.every(isFirst), "a tick of days begins a day").toBe(true);
        }
      }),
    );
  });

  test("leave out no round time of it", () => {
    fc.assert(
      fc.property(windows, ({ zone, start, end, most }) => {
        setZone(zone);
        const { at: ticks, step } = layTicks({ start, end }, most);
        fc.pre(step < DAY);
        const gaps = [start, ...ticks, end].map((t, i, all) => (i === 0 ? 0 : t - (all[i - 1] ?? t)));
        // Clocks that are put forward, by a day at most, skip some.
        const change = Math.abs(toLocal(end) - end - (toLocal(start) - start));
        expect(Math.max(...gaps)).toBeLessThanOrEqual(step + change);
      }),
    );
  });
});

test("days begin at the midnights of a zone of half an hour", () => {
  setZone("Asia/Kolkata");
  const { at: ticks, step } = layTicks({ start: at("2024-07-01T00:00Z"), end: at("2024-07-05T00:00Z") }, 5);
  expect(step).toBe(DAY);
  expect(ticks.map((t) => t % DAY)).toEqual(Array(4).fill(18.5 * HOUR));
});

test("the hour that is skipped has no tick, and days of 23 and 25 hours begin at their midnights", () => {
  setZone("Europe/Berlin");
  expect(words("2024-03-31T00:00Z", "2024-03-31T03:00Z")).toEqual([
    "01:00",
    "01:30",
    "03:00",
    "03:30",
    "04:00",
    "04:30",
    "05:00",
  ]);
  expect(words("2024-10-26T23:00Z", "2024-10-27T02:00Z")).toEqual([
    "01:00",
    "01:30",
    "02:00",
    "02:30",
    "02:00",
    "02:30",
    "03:00",
  ]);
  const { at: ticks } = layTicks({ start: at("2024-03-30T00:00Z"), end: at("2024-04-02T00:00Z") }, 4);
  expect(ticks.map((t) => t / HOUR).map((t, i, all) => t - (all[i - 1] ?? t))).toEqual([0, 23, 24]);
});

test("a window of a few milliseconds around a change of the clocks has few ticks", () => {
  setZone("Europe/Berlin");
  const change = at("2024-10-27T01:00:00Z");
  expect(layTicks({ start: change - 4000, end: change + 4000 }, 9).at.length).toBe(9);
});

test("weeks begin on Mondays, months and years on their first day", () => {
  setZone("America/New_York");
  expect(words("2024-07-01T00:00Z", "2024-08-12T00:00Z", 6)).toEqual([
    "07-01",
    "07-08",
    "07-15",
    "07-22",
    "07-29",
    "08-05",
  ]);
  expect(words("2024-06-15T00:00Z", "2024-10-15T00:00Z", 5)).toEqual([
    "2024-07",
    "2024-08",
    "2024-09",
    "2024-10",
  ]);
  expect(words("2019-06-15T00:00Z", "2024-10-15T00:00Z", 6)).toEqual([
    "2020",
    "2021",
    "2022",
    "2023",
    "2024",
  ]);
});

test("the midnight between two days says the day that begins", () => {
  expect(words("2024-07-01T20:00Z", "2024-07-02T04:00Z", 5)).toEqual([
    "20:00",
    "22:00",
    "07-02",
    "02:00",
    "04:00",
  ]);
  expect(words("2024-07-01T12:00:00Z", "2024-07-01T12:00:40Z", 5)).toEqual([
    "12:00:00",
    "12:00:10",
    "12:00:20",
    "12:00:30",
    "12:00:40",
  ]);
});
