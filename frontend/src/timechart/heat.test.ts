import { expect, test } from "vitest";
import { LIGHT } from "./colours";
import { heatColour, paintHeat } from "./heat";
import { buildSpans } from "./spans";
import type { Pen } from "./strip";

const strengthOf = (colour: string): number => Number(/,([\d.]+)\)$/.exec(colour)?.[1]);

test("the least value is the weakest colour, the greatest the strongest; beyond the scale it is no stronger", () => {
  const [weak = 0, middle = 0, strong, beyond] = [0, 5, 10, 20].map((value) =>
    strengthOf(heatColour(value, [0, 10], LIGHT)),
  );
  expect(weak).toBeGreaterThan(0);
  expect(middle).toBeGreaterThan(weak);
  expect([strong, beyond]).toEqual([1, 1]);
});

test("a number that climbs gets stronger from column to column, one that holds is one box", () => {
  const boxes: [string, number][] = [];
  const pen: Pen = {
    fillStyle: "",
    fillRect: (x: number) => void boxes.push([pen.fillStyle as string, x]),
  } as unknown as Pen;
  const window = { start: 0, end: 100_000_000 };
  const pieces = [
    { t: 0, value: 4, slope: 0 },
    { t: 50_000_000, value: 4, slope: 0.1 },
  ];
  const seen = buildSpans(pieces, window, 100_000_000, 100_000_000, []);
  paintHeat(
    pen,
    { spans: seen, window, leftOut: [] },
    { left: 0, top: 0, width: 100, height: 10 },
    [0, 10],
    LIGHT,
  );
  const strengths = boxes.map(([colour]) => strengthOf(colour));
  expect(boxes.filter(([, x]) => x < 50)).toHaveLength(1);
  expect(boxes.length).toBeGreaterThan(10);
  expect(strengths).toEqual(strengths.toSorted((a, b) => a - b));
});
