import { describe, expect, test } from "vitest";
import type { LeftOut } from "../core/api/types";
import { LIGHT } from "../timechart/colours";
import { buildLines, widenBounds } from "../timechart/numbers";
import { isFar, placeSheet, Sheets } from "./renderedWindow";
import type { Span } from "../timechart/spans";
import { buildOutline } from "../timechart/traces";
import { looksDifferent } from "./useDebouncedView";

const window = { start: 0, end: 1000 };
const element = () => ({ style: { transform: "" } }) as unknown as HTMLElement;

describe("a sheet", () => {
  test("lies with a half of a window on both sides of the window that it was drawn for", () => {
    expect(placeSheet(window, window)).toBe("translateX(-25%) scaleX(1)");
  });

  test("is moved along, and stretched, with the window", () => {
    expect(placeSheet(window, { start: 100, end: 1100 })).toBe("translateX(-30%) scaleX(1)");
    expect(placeSheet(window, { start: 0, end: 500 })).toBe("translateX(-50%) scaleX(2)");
  });

  test("keeps its own place where others are drawn anew", () => {
    const [one, other, gone] = [element(), element(), element()];
    const sheets = new Sheets();
    sheets.show(window);
    sheets.drawn(one, window);
    sheets.drawn(other, window);
    sheets.drawn(gone, window);
    sheets.forget(gone);
    const moved = { start: 100, end: 1100 };
    sheets.show(moved);
    sheets.drawn(other, moved);
    expect(one.style.transform).toBe("translateX(-30%) scaleX(1)");
    expect(other.style.transform).toBe("translateX(-25%) scaleX(1)");
    expect(gone.style.transform).toBe("translateX(-25%) scaleX(1)");
  });
});

describe("a view is drawn anew", () => {
  const view = { window, now: 900 };

  test("where it is seen to differ: moved, longer, or with a later now", () => {
    expect(looksDifferent({ window: { start: 1, end: 1001 }, now: 900 }, view)).toBe(true);
    expect(looksDifferent({ window: { start: 0, end: 1010 }, now: 900 }, view)).toBe(true);
    expect(looksDifferent({ window, now: 901 }, view)).toBe(true);
  });

  test("not for less than half a pixel, nor for a now that lies behind what is seen", () => {
    expect(looksDifferent({ window: { start: 0.3, end: 1000.3 }, now: 900.3 }, view)).toBe(false);
    expect(looksDifferent({ window, now: 5000 }, { window, now: 1000 })).toBe(false);
  });
});

test("rectangles are one outline that comes back under itself: between them it covers nothing", () => {
  const parts = [
    { start: 0, end: 1000, low: 0, high: 1, value: "a" },
    { start: 3000, end: 5000, low: 0.5, high: 1, value: "a" },
  ];
  const { x, y } = buildOutline(parts);
  expect(x).toEqual([0, 0, 1, 1, 3, 3, 5, 5, 5, 3, 1, 0]);
  expect(y).toEqual([0, 1, 1, 0, 0.5, 1, 1, 0.5, 0.5, 0.5, 0, 0]);
  const doubled = x.reduce((sum, _, i) => {
    const next = (i + 1) % x.length;
    return sum + (x[i] ?? 0) * (y[next] ?? 0) - (x[next] ?? 0) * (y[i] ?? 0);
  }, 0);
  expect(Math.abs(doubled) / 2).toBeCloseTo(1 * 1 + 2 * 0.5);
});

test("what was drawn hardly does once the window is beside it, or is much longer or shorter", () => {
  expect(isFar({ start: 300, end: 1300 }, window)).toBe(false);
  expect(isFar({ start: 450, end: 1450 }, window)).toBe(true);
  expect(isFar({ start: 400, end: 600 }, window)).toBe(true);
  expect(isFar({ start: -1000, end: 2000 }, window)).toBe(true);
});

describe("numbers of which something is left out", () => {
  const span = (start: number, end: number, value: number): Span => ({
    ...{ start, end, from: start, to: end, value, endValue: value, slope: 0 },
    ...{ provisional: false, strength: 1 },
  });
  const left = (from: number, to: number, low: number | null) => ({ from, to, changes: 9, low, high: low });
  const x = (spans: Span[], leftOut: LeftOut[]) =>
    (buildLines(spans, leftOut, LIGHT)[0] as { x: unknown[] }).x;

  test("are one line over gaps that are too narrow to be seen, and only over those", () => {
    expect(x([span(0, 1e6, 1), span(1.001e6, 2e6, 2)], [left(1e6, 1.001e6, 1)])).not.toContain(null);
    expect(x([span(0, 1e6, 1), span(1.5e6, 2e6, 2)], [left(1e6, 1.5e6, 1)])).toContain(null);
    expect(x([span(0, 1e6, 1), span(1.001e6, 2e6, 2)], [left(1e6, 1.001e6, null)])).toContain(null);
    expect(x([span(0, 1e6, 1), span(1.001e6, 2e6, 2)], [])).toContain(null);
  });

  test("have bounds that are seen, however close they are", () => {
    const scale = { low: 0, high: 100, ticks: [] };
    const part = { start: 0, end: 1, low: 50, high: 50, value: 50 };
    const [thin, wide] = widenBounds([part, { ...part, low: 20, high: 80 }], scale);
    expect((thin?.high ?? 0) - (thin?.low ?? 0)).toBeCloseTo(2.4);
    expect(((thin?.high ?? 0) + (thin?.low ?? 0)) / 2).toBe(50);
    expect(wide).toMatchObject({ low: 20, high: 80 });
  });
});
