import { afterEach, expect, test } from "vitest";
import {
  formatClock,
  formatDays,
  formatExact,
  formatInstant,
  formatMoment,
  formatOffset,
  formatOffsets,
  formatTime,
} from "./format";
import { setZone } from "./zone";

const at = (iso: string): number => Date.parse(iso) * 1000;
const MORNING = at("2024-07-01T09:00:00Z");

afterEach(() => setZone(""));

test("times are short, and those of the zone that is shown", () => {
  expect(formatClock(MORNING)).toBe("09:00:00");
  expect(formatClock(MORNING + 250_000)).toBe("09:00:00.250");
  expect(formatMoment(MORNING)).toBe("2024-07-01 09:00:00 UTC");
  expect(formatMoment(null)).toBe("never");
  setZone("Europe/Copenhagen");
  expect(formatMoment(MORNING)).toBe("2024-07-01 11:00:00 UTC+2");
  expect(formatTime(at("2024-12-01T09:00:00Z"))).toBe("10:00:00 UTC+1");
});

test.each([
  ["Asia/Kolkata", "14:30:00 UTC+5:30"],
  ["Asia/Kathmandu", "14:45:00 UTC+5:45"],
  ["America/St_Johns", "06:30:00 UTC-2:30"],
  ["Pacific/Kiritimati", "23:00:00 UTC+14"],
  ["America/New_York", "05:00:00 UTC-4"],
  ["Mars/Olympus", "09:00:00 UTC"],
])("in %s nine o'clock of UTC is %s", (zone, words) => {
  setZone(zone);
  expect(formatTime(MORNING)).toBe(words);
});

test("an hour that the clocks show twice is told apart, also within a window", () => {
  setZone("Europe/Berlin");
  const [first, second] = [at("2024-10-27T00:30:00Z"), at("2024-10-27T01:30:00Z")];
  expect([formatTime(first), formatTime(second)]).toEqual(["02:30:00 UTC+2", "02:30:00 UTC+1"]);
  expect(formatOffsets(first, second)).toBe("UTC+2 to UTC+1");
  expect(formatOffsets(first, first)).toBe("UTC+2");
});

test("clocks of long ago are right to the second", () => {
  setZone("Africa/Monrovia");
  const before = at("1972-01-07T00:44:29Z");
  expect(formatOffset(before)).toBe("UTC-0:44:30");
  expect(formatClock(before)).toBe("23:59:59");
  expect(formatTime(before + 1_000_000)).toBe("00:44:30 UTC");
});

test("a time of another day has its day, by the clocks of the zone", () => {
  const now = at("2024-07-02T01:00:00Z");
  expect(formatInstant(at("2024-07-01T23:00:00Z"), now)).toBe("2024-07-01 23:00:00 UTC");
  setZone("Europe/Berlin");
  expect(formatInstant(at("2024-07-01T23:00:00Z"), now)).toBe("01:00:00 UTC+2");
});

test("days are said where they are not all of today", () => {
  const now = at("2024-07-02T12:00Z");
  const days = (from: string, to: string): string => formatDays(at(`${from}Z`), at(`${to}Z`), now);
  expect(days("2024-07-02T09:00", "2024-07-02T11:00")).toBe("");
  expect(days("2024-07-01T09:00", "2024-07-01T11:00")).toBe("2024-07-01");
  expect(days("2024-07-01T23:00", "2024-07-02T01:00")).toBe("2024-07-01 to 07-02");
  expect(days("2023-12-31T23:00", "2024-01-01T01:00")).toBe("2023-12-31 to 2024-01-01");
});

test("an exact time has its day where that is another one, and what does not end at a microsecond is cut there", () => {
  expect(formatExact(MORNING + 250_000, MORNING)).toBe("09:00:00.25");
  expect(formatExact(MORNING - 86_400_000_000, MORNING)).toBe("2024-06-30 09:00:00");
  expect(formatExact(MORNING + 0.5, MORNING)).toBe("09:00:00");
});
