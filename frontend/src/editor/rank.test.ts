import { expect, test } from "vitest";
import { ranked } from "./rank";

const all = [
  { title: "Select nothing", words: ["Select"] },
  { title: "Make it a result, or not", words: [] },
  { title: "calm", words: ["go to node calm", "Not"] },
  { title: "not", words: ["go to node not", "Not"] },
  { title: "Export as text", words: ["download"] },
];
const found = (search: string): string[] => ranked(all, search).map(({ title }) => title);

test("the very name comes first, then the word, then a part of a word", () => {
  expect(found("not")).toEqual(["not", "Select nothing", "Make it a result, or not", "calm"]);
});

test("words may come in any order, in any case, from anywhere", () => {
  expect(found("TEXT download")).toEqual(["Export as text"]);
});

test("what is not there is not found", () => {
  expect(found("xyz")).toEqual([]);
});
