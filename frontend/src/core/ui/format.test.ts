import { expect, test } from "vitest";
import {
  formatAgo,
  formatBatchTime,
  formatCounted,
  formatLength,
  formatPace,
  formatRate,
  readOf,
  formatSize,
} from "./format";

test("lengths are told in their two greatest units", () => {
  expect(formatLength(3_900_000_000)).toBe("1 h 5 min");
  expect(formatLength(12_300_000)).toBe("12.3 s");
  expect(formatLength(40_000)).toBe("40 ms");
  expect(formatLength(7)).toBe("7 µs");
  expect(formatAgo("2024-07-01T09:00:00Z", Date.parse("2024-07-01T11:00:00Z"))).toBe("2 h ago");
  expect(formatAgo("2024-07-01T08:54:58Z", Date.parse("2024-07-01T11:00:00Z"))).toBe("2 h ago");
  expect(formatAgo("2024-07-01T10:54:58Z", Date.parse("2024-07-01T11:00:00Z"))).toBe("5 min ago");
  expect(formatAgo("2024-07-01T10:59:58Z", Date.parse("2024-07-01T11:00:00Z"))).toBe("just now");
});

test("sizes and rates have the digits that count", () => {
  expect(formatSize(0)).toBe("0 bytes");
  expect(formatSize(512)).toBe("512 bytes");
  expect(formatSize(4_210_000)).toBe("4.2 MB");
  expect(formatSize(2e15)).toBe("2000 TB");
  expect(formatRate(0)).toBe("0");
  expect(formatRate(0.42)).toBe("0.4");
  expect(formatRate(18_204.4)).toBe("18,204");
});

test("one thing is told in the singular", () => {
  expect([0, 1, 2, 4200].map((many) => formatCounted(many, "plans"))).toEqual([
    "0 plans",
    "1 plan",
    "2 plans",
    "4,200 plans",
  ]);
});

test("a batch is as long as was measured, and no figure is invented where nothing was", () => {
  expect(formatPace(1204, "events")).toBe("1,204 events/s");
  expect(formatPace(21.2, "batches"), "batches wait, and rows of them are counted").toBe("21.2 revisions/s");
  expect(formatPace(0, "events")).toBe("not measured yet");
  expect([readOf("events"), readOf("batches")]).toEqual(["events", "revisions"]);
  expect(formatBatchTime(900)).toBe("900 ms");
  expect(formatBatchTime(0)).toBe("not measured yet");
});
