import { expect, test } from "vitest";
import { ago, batchTime, clock, counted, days, length, moment, pace, rate, readOf, size } from "./format";

test("times are UTC and short", () => {
  expect(clock(1_719_824_400_000_000)).toBe("09:00:00");
  expect(clock(1_719_824_400_250_000)).toBe("09:00:00.250");
  expect(moment(1_719_824_400_000_000)).toBe("2024-07-01 09:00:00 UTC");
  expect(moment(null)).toBe("never");
});

test("days are said where they are not all of today", () => {
  const now = Date.parse("2024-07-02T12:00:00Z") * 1000;
  const at = (text: string): number => Date.parse(`${text}:00Z`) * 1000;
  expect(days(at("2024-07-02T09:00"), at("2024-07-02T11:00"), now)).toBe("");
  expect(days(at("2024-07-01T09:00"), at("2024-07-01T11:00"), now)).toBe("2024-07-01");
  expect(days(at("2024-07-01T23:00"), at("2024-07-02T01:00"), now)).toBe("2024-07-01 to 07-02");
  expect(days(at("2023-12-31T23:00"), at("2024-01-01T01:00"), now)).toBe("2023-12-31 to 2024-01-01");
});

test("lengths are told in their two greatest units", () => {
  expect(length(3_900_000_000)).toBe("1 h 5 min");
  expect(length(12_300_000)).toBe("12.3 s");
  expect(length(40_000)).toBe("40 ms");
  expect(length(7)).toBe("7 µs");
  expect(ago("2024-07-01T09:00:00Z", Date.parse("2024-07-01T11:00:00Z"))).toBe("2 h ago");
  expect(ago("2024-07-01T08:54:58Z", Date.parse("2024-07-01T11:00:00Z"))).toBe("2 h ago");
  expect(ago("2024-07-01T10:54:58Z", Date.parse("2024-07-01T11:00:00Z"))).toBe("5 min ago");
  expect(ago("2024-07-01T10:59:58Z", Date.parse("2024-07-01T11:00:00Z"))).toBe("just now");
});

test("sizes and rates have the digits that count", () => {
  expect(size(0)).toBe("0 bytes");
  expect(size(512)).toBe("512 bytes");
  expect(size(4_210_000)).toBe("4.2 MB");
  expect(size(2e15)).toBe("2000 TB");
  expect(rate(0)).toBe("0");
  expect(rate(0.42)).toBe("0.4");
  expect(rate(18_204.4)).toBe("18,204");
});

test("one thing is told in the singular", () => {
  expect([0, 1, 2, 4200].map((many) => counted(many, "plans"))).toEqual([
    "0 plans",
    "1 plan",
    "2 plans",
    "4,200 plans",
  ]);
});

test("a batch is as long as was measured, and no figure is invented where nothing was", () => {
  expect(pace(1204, "events")).toBe("1,204 events/s");
  expect(pace(21.2, "batches"), "batches wait, and rows of them are counted").toBe("21.2 revisions/s");
  expect(pace(0, "events")).toBe("not measured yet");
  expect([readOf("events"), readOf("batches")]).toEqual(["events", "revisions"]);
  expect(batchTime(900)).toBe("900 ms");
  expect(batchTime(0)).toBe("not measured yet");
});
