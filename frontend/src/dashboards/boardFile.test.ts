import { expect, test } from "vitest";
import { formatBoard, parseBoard } from "./boardFile";
import { EMPTY } from "./document";

test("a dashboard that is exported is imported as it was", () => {
  const board = { name: "Wall", document: { ...EMPTY, range: "1h" as const } };
  expect(parseBoard(formatBoard(board))).toEqual(board);
});

test.each([
  ["{", "not JSON"],
  ["[]", "not a dashboard"],
  ["null", "not a dashboard"],
  ['{"version": 1, "nodes": {}}', "not a dashboard"],
  ['{"timelines_dashboard": 2, "document": {}}', "format 2"],
  ['{"timelines_dashboard": 1, "name": "x"}', "no “document”"],
])("%s is refused with what is wrong", (text, words) => {
  expect(() => parseBoard(text)).toThrow(words);
});
