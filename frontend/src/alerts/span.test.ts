import { expect, test } from "vitest";
import { formatDuration, formatEnd, formatStart } from "./span";

const SECOND = 1_000_000;

test("a span lasts until its end, or until now", () => {
  expect(formatDuration({ start: 0, end: 90 * SECOND }, 500 * SECOND)).toBe("1 min 30 s");
  expect(formatDuration({ start: 0, end: null }, 500 * SECOND)).toBe("8 min 20 s");
});

test("without a start, or with one in the future, nothing is said of how long it lasts", () => {
  expect(formatDuration({ start: null, end: 5 }, 9)).toBe("");
  expect(formatDuration({ start: 20, end: null }, 9)).toBe("");
});

test("ends that are not known have words", () => {
  expect(formatStart(null)).toBe("since ever");
  expect(formatEnd(null)).toBe("open");
});
