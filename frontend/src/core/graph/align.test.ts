import { expect, test } from "vitest";
import { align, distribute } from "./align";

const BOXES = [
  { id: "a", x: 0, y: 10, width: 100, height: 50 },
  { id: "b", x: 130, y: 0, width: 60, height: 30 },
  { id: "c", x: 400, y: 40, width: 100, height: 10 },
];

test.each([
  ["left", { a: [0, 10], b: [0, 0], c: [0, 40] }],
  ["right", { a: [400, 10], b: [440, 0], c: [400, 40] }],
  ["top", { a: [0, 0], b: [130, 0], c: [400, 0] }],
  ["bottom", { a: [0, 10], b: [130, 30], c: [400, 50] }],
  ["centre", { a: [200, 10], b: [220, 0], c: [200, 40] }],
  ["middle", { a: [0, 5], b: [130, 15], c: [400, 25] }],
] as const)("aligned by their %s", (edge, places) => {
  expect(align(BOXES, edge)).toEqual(places);
});

test("distributed, the gaps are equal and the outermost stay", () => {
  expect(distribute(BOXES, "across")).toEqual({ a: [0, 10], b: [220, 0], c: [400, 40] });
  expect(distribute(BOXES.slice(0, 2), "across")).toEqual({});
});
