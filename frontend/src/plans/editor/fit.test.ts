import { getViewportForBounds } from "@xyflow/react";
import { describe, expect, test } from "vitest";
import { FIT, isCovered, LEAST } from "./fit";

const canvas = { width: 936, height: 560 };
const node = (x: number, y: number) => ({ x, y, width: 224, height: 183 });
const at = (x: number, y: number, zoom = 1) => ({ ...canvas, transform: [x, y, zoom] as const });

describe("the overview", () => {
  test("covers no node that lies beside it, above it or out of sight", () => {
    expect(isCovered([node(0, 0), node(580, 400), node(700, 290), node(936, 560)], at(0, 0))).toBe(false);
  });

  test("covers one at the lower right, also where it was moved or made smaller there", () => {
    expect(isCovered([node(620, 400)], at(0, 0))).toBe(true);
    expect(isCovered([node(0, 0)], at(620, 400))).toBe(true);
    expect(isCovered([node(1700, 1000)], at(0, 0, 0.5))).toBe(true);
  });

  test.each([752, 936, 1400, 2200])("has room when all is fitted into a canvas of %i pixels", (width) => {
    for (const height of [300, 560, 1000])
      for (const [x, y] of [
        [0, 0],
        [3000, 0],
        [3000, 2000],
        [100, 2000],
      ] as const) {
        const boxes = [node(0, 0), node(x, y), node(x, 0), node(0, y)];
        const all = { x: 0, y: 0, width: x + 224, height: y + 183 };
        const seen = getViewportForBounds(all, width, height, LEAST, FIT.maxZoom, FIT.padding);
        expect(isCovered(boxes, { width, height, transform: [seen.x, seen.y, seen.zoom] })).toBe(false);
      }
  });
});
