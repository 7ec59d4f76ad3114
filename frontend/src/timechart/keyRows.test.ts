import { describe, expect, test } from "vitest";
import { measureState, selectRowsInView, sortRows, ROW_HEIGHT, valuesOf, type KeyRow } from "./keyRows";

const S = 1_000_000;
const window = { start: 0, end: 100 * S };

function row(key: string, points: [number | null, string | number | boolean | null][], birth = 0): KeyRow {
  return {
    key,
    birth,
    leftOut: [],
    pieces: points.map(([t, value]) => ({ t: t && t * S, value, slope: 0 })),
  };
}

const a = row("a2", [[null, false], [10, true], [30, false], [50, true]]); // prettier-ignore
const b = row("a10", [
  [null, false],
  [95, true],
]);
const c = row("c", [[null, null]]);

describe("how long a row was in a state", () => {
  test("is the sum of its stretches until now, as far as they lie in the window", () => {
    expect(measureState(a, true, window, 80 * S)).toEqual({ seconds: 50, stretches: 2 });
    expect(measureState(a, true, { start: 20 * S, end: 55 * S }, 80 * S)).toEqual({
      seconds: 15,
      stretches: 2,
    });
  });

  test("counts nothing before its birth", () => {
    expect(measureState({ ...b, birth: 60 * S }, false, window, 100 * S).seconds).toBe(35);
  });

  test("counts what change points that are left out held it for", () => {
    const leftOut = [{ from: 60 * S, to: 70 * S, changes: 9, shares: [[true, 6]], others: 4 }] as never;
    expect(measureState({ ...b, leftOut }, true, window, 100 * S).seconds).toBe(11);
  });
});

test("rows stand by their last change, by the time in a state, or by name with its numbers", () => {
  const names = (order: "changed" | "held" | "name") =>
    sortRows([c, b, a], order, true, window, 100 * S).map(({ key }) => key);
  expect(names("changed")).toEqual(["a10", "a2", "c"]);
  expect(names("held")).toEqual(["a2", "a10", "c"]);
  expect(names("name")).toEqual(["a2", "a10", "c"]);
});

test("numbers stand by their value now, unknown ones last", () => {
  const rows = [row("low", [[null, 1]]), row("none", [[null, null]]), row("high", [[null, 7]])];
  expect(sortRows(rows, "held", null, window, 5 * S).map(({ key }) => key)).toEqual(["high", "low", "none"]);
});

test("values stand by how often they are said; unknown is none", () => {
  expect(valuesOf([a, b, c])).toEqual([false, true]);
});

test("of many rows only those in sight are drawn, and a few around them", () => {
  const { first, last } = selectRowsInView(1000, 500 * ROW_HEIGHT, 10 * ROW_HEIGHT);
  expect([first, last]).toEqual([494, 516]);
  expect(selectRowsInView(3, 0, 600)).toEqual({ first: 0, last: 3 });
});
