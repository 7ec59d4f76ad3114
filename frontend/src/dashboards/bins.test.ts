import fc from "fast-check";
import { expect, test } from "vitest";
import { binNumbers, binStates } from "./bins";
import { boundsOf } from "./gaugeBounds";

test("every number is in just one of the bins, the greatest as well", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1 }), (values) => {
      const bins = binNumbers(values, String);
      expect(bins).toHaveLength(10);
      expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
    }),
  );
  expect(binNumbers([], String)).toEqual([]);
});

test("states are counted, the most frequent first", () => {
  expect(binStates(["a", "b", "b", true])).toEqual([
    { label: "b", state: "b", count: 2 },
    { label: "a", state: "a", count: 1 },
    { label: "true", state: true, count: 1 },
  ]);
  expect(binStates(["a"], (state) => `${String(state)}!`)).toEqual([{ label: "a!", state: "a", count: 1 }]);
});

test("a gauge has the bounds that were given, else round ones that hold its value and 0", () => {
  expect(boundsOf(37, 0, 100)).toEqual([0, 100]);
  expect(boundsOf(37, null, null)[0]).toBe(0);
  expect(boundsOf(37, null, null)[1]).toBeGreaterThanOrEqual(37);
  expect(boundsOf(-3, null, null)[0]).toBeLessThanOrEqual(-3);
  expect(boundsOf(null, 5, null)[1]).toBeGreaterThan(5);
});
