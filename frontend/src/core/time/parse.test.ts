import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { formatExact, formatMoment } from "./format";
import { formatAddress, formatField, parseAddress, parseExact, parseField } from "./parse";
import { fromLocal, offsetAt, setZone, toLocal } from "./zone";

const at = (iso: string): number => Date.parse(iso) * 1000;
const NOON = at("2024-07-01T12:00:00Z");
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
];
const instants = fc.integer({ min: at("1990-01-01"), max: at("2037-01-01") });

afterEach(() => setZone(""));

test("a field is read by the clocks of the zone", () => {
  expect(parseField("2024-07-01T12:00")).toEqual({ us: NOON, change: null });
  setZone("Asia/Kolkata");
  expect(parseField("2024-07-01T17:30:00")).toEqual({ us: NOON, change: null });
  expect(formatField(NOON)).toBe("2024-07-01T17:30:00");
});

test.each(["yesterday", "", "2024-13-01T12:00", "2024-02-30T12:00", "2024-07-01T25:00"])(
  "%s is no time",
  (text) => expect(parseField(text)).toBeNull(),
);

test("a time that the clocks skip moves on by as much as they did", () => {
  setZone("Europe/Berlin");
  const parsed = parseField("2024-03-31T02:30");
  expect(parsed?.change).toBe("skipped");
  expect(formatMoment(parsed?.us ?? 0)).toBe("2024-03-31 03:30:00 UTC+2");
});

test("of a time that the clocks show twice the first is meant", () => {
  setZone("Europe/Berlin");
  const parsed = parseField("2024-10-27T02:30");
  expect(parsed?.change).toBe("twice");
  expect(formatMoment(parsed?.us ?? 0)).toBe("2024-10-27 02:30:00 UTC+2");
});

test("a day that a zone skipped is no day of it", () => {
  setZone("Pacific/Apia");
  const parsed = parseField("2011-12-30T12:00");
  expect(parsed?.change).toBe("skipped");
  expect(formatMoment(parsed?.us ?? 0)).toBe("2011-12-31 12:00:00 UTC+14");
});

test("every instant is among those at which its clocks show what they show", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), instants, (zone, us) => {
      expect(fromLocal(toLocal(us, zone), zone)).toContain(us);
    }),
  );
});

test("an instant that is shown as one is read as that one", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), instants, (zone, us) => {
      setZone(zone);
      fc.pre(fromLocal(toLocal(us)).length === 1);
      expect(parseExact(formatExact(us, NOON), NOON)).toBe(us);
    }),
  );
});

test("offsets are those that the browser tells, at any instant", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), instants, (timeZone, us) => {
      const ms = Math.floor(us / 1000);
      const shown = new Intl.DateTimeFormat("sv", {
        timeZone,
        dateStyle: "short",
        timeStyle: "medium",
      }).format(ms);
      const offset = Date.parse(`${shown.replace(" ", "T")}Z`) - Math.floor(ms / 1000) * 1000;
      expect(offsetAt(us, timeZone) / 1000).toBe(offset);
    }),
  );
});

test("exact times have a day or that of the sample, and are of UTC with a Z", () => {
  setZone("Europe/Berlin");
  expect(parseExact("14:00:00.25", NOON)).toBe(NOON + 250_000);
  expect(parseExact("2024-06-30 14:00", NOON)).toBe(NOON - 86_400_000_000);
  expect(parseExact("12:00:00Z", NOON)).toBe(NOON);
  expect(["", "12", "25:00:00", "soon", "2024-13-01 12:00:00"].map((text) => parseExact(text, NOON))).toEqual(
    Array(5).fill(undefined),
  );
});

test("addresses are of UTC whatever the zone", () => {
  setZone("Asia/Kolkata");
  expect(formatAddress(NOON)).toBe("2024-07-01T12:00:00Z");
  expect(formatAddress(NOON + 250_000)).toBe("2024-07-01T12:00:00.250000Z");
  fc.assert(
    fc.property(instants, (us) => {
      expect(parseAddress(formatAddress(us))).toBe(us);
    }),
  );
  expect([parseAddress("1719835200000000"), parseAddress(null), parseAddress("soon")]).toEqual([
    NOON,
    null,
    null,
  ]);
});
