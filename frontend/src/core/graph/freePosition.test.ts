import { describe, expect, test } from "vitest";
import { findFreePosition } from "./freePosition";

const box = (x: number, y: number) => ({ x, y, width: 200, height: 100 });

describe("a free spot", () => {
  test("is the wanted one where nothing lies", () => {
    expect(findFreePosition([box(0, 0)], [200, 100], [500, 0])).toEqual([500, 0]);
  });

  test("is near, and covers nothing", () => {
    const boxes = [box(0, 0), box(300, 0), box(0, 150)];
    const [x, y] = findFreePosition(boxes, [200, 100], [10, 10]);
    const covered = boxes.filter((one) => Math.abs(one.x - x) < 200 && Math.abs(one.y - y) < 100);
    expect(covered).toEqual([]);
    expect(Math.hypot(x - 10, y - 10)).toBeLessThan(300);
  });

  test("is the wanted one where there is no room far and wide", () => {
    expect(findFreePosition([{ x: -1e6, y: -1e6, width: 2e6, height: 2e6 }], [200, 100], [8, 8])).toEqual([
      8, 8,
    ]);
  });
});
