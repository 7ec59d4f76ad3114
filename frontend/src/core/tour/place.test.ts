import fc from "fast-check";
import { expect, test } from "vitest";
import { place } from "./place";

const view = { width: 1000, height: 800 };
const size = { width: 300, height: 200 };

test("below where there is room, else above, else beside", () => {
  expect(place({ left: 100, top: 50, width: 100, height: 30 }, size, view)).toEqual({ left: 8, top: 92 });
  expect(place({ left: 400, top: 700, width: 100, height: 30 }, size, view)).toEqual({ left: 300, top: 488 });
  expect(place({ left: 0, top: 0, width: 200, height: 800 }, size, view)).toEqual({ left: 212, top: 8 });
  expect(place({ left: 800, top: 0, width: 200, height: 800 }, size, view)).toEqual({ left: 488, top: 8 });
});

test("what points at nothing stands in the corner", () => {
  expect(place(null, size, view)).toEqual({ left: 692, top: 592 });
});

test("it is always wholly in view, wherever the target is", () => {
  const side = fc.integer({ min: -500, max: 1500 });
  const length = fc.integer({ min: 0, max: 1500 });
  fc.assert(
    fc.property(side, side, length, length, (left, top, width, height) => {
      const found = place({ left, top, width, height }, size, view);
      return found.left >= 8 && found.top >= 8 && found.left <= 692 && found.top <= 592;
    }),
  );
});

test("what else the step speaks of is not hidden either, where there is room elsewhere", () => {
  const target = { left: 100, top: 500, width: 300, height: 30 };
  const [above, label] = [
    { left: 0, top: 400, width: 1000, height: 80 },
    { left: 0, top: 540, width: 1000, height: 260 },
  ];
  const { left, top } = place(target, size, view, [above, label]);
  expect({ left, top }).toEqual({ left: 100, top: 188 });
});

test("of the places that hide nothing it is the nearest, also where that is beside what is spared", () => {
  const target = { left: 400, top: 300, width: 200, height: 30 };
  const column = { left: 300, top: 60, width: 380, height: 600 };
  expect(place(target, size, view, [column])).toEqual({ left: 692, top: 300 });
  const wide = { left: 0, top: 60, width: 1000, height: 400 };
  expect(place(target, size, view, [wide]).top).toBe(472);
});

test("where nothing is left free, it hides least, and of the target nothing", () => {
  const target = { left: 0, top: 0, width: 1000, height: 300 };
  const found = place(target, size, view, [{ left: 0, top: 300, width: 1000, height: 500 }]);
  expect(found.top).toBeGreaterThanOrEqual(300);
});
