import { expect, test } from "vitest";
import { splitAtThresholds } from "./thresholds";

const display = { thresholds: [{ start: 10, colour: "bad" as const }] };

test("a line that passes a threshold changes its colour just there", () => {
  const line = [
    { x: 0, y: 0 },
    { x: 10, y: 20 },
    { x: 20, y: 20 },
  ];
  expect(splitAtThresholds(line, display)).toEqual([
    {
      colour: null,
      line: [
        { x: 0, y: 0 },
        { x: 5, y: 10 },
      ],
    },
    {
      colour: "bad",
      line: [
        { x: 5, y: 10 },
        { x: 10, y: 20 },
        { x: 20, y: 20 },
      ],
    },
  ]);
});

test("parts of one colour are not joined over a gap", () => {
  const line = [
    { x: 0, y: 1 },
    { x: 1, y: 1 },
    { x: 1, y: null },
    { x: 3, y: 1 },
    { x: 4, y: 1 },
  ];
  const [part] = splitAtThresholds(line, display);
  expect(part?.line.map(({ x, y }) => [x, y])).toEqual([
    [0, 1],
    [1, 1],
    [3, null],
    [3, 1],
    [4, 1],
  ]);
});

test("without thresholds it is the line as it was", () => {
  const line = [{ x: 0, y: 1 }];
  expect(splitAtThresholds(line, {})).toEqual([{ colour: null, line }]);
});
