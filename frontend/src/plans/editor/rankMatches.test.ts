import { expect, test } from "vitest";
import { selectMatches, selectLooseMatches } from "./rankMatches";

const all = [
  { title: "Select nothing", words: ["Select"] },
  { title: "Make it a result, or not", words: [] },
  { title: "calm", words: ["go to node calm", "Not"] },
  { title: "not", words: ["go to node not", "Not"] },
  { title: "Export as text", words: ["download"] },
];
const found = (search: string): string[] => selectMatches(all, search).map(({ title }) => title);

test("the very name comes first, then the word, then a part of a word", () => {
  expect(found("not")).toEqual(["not", "Select nothing", "Make it a result, or not", "calm"]);
});

test("words may come in any order, in any case, from anywhere", () => {
  expect(found("TEXT download")).toEqual(["Export as text"]);
});

test("what is not there is not found", () => {
  expect(found("xyz")).toEqual([]);
});

test("a word is found by its beginning, and within a word only where nothing else is", () => {
  const operators = [
    { title: "Time in state", words: ["duration_where", "duration"] },
    { title: "Divide", words: ["divide", "ratio"] },
    { title: "Delay", words: ["shift"] },
    { title: "If / else", words: ["when", "if"] },
  ];
  expect(selectMatches(operators, "ratio").map(({ title }) => title)).toEqual(["Divide"]);
  expect(selectMatches(operators, "if").map(({ title }) => title)).toEqual(["If / else"]);
  expect(selectMatches(operators, "duration where").map(({ title }) => title)).toEqual(["Time in state"]);
  expect(selectMatches(operators, "hift").map(({ title }) => title)).toEqual(["Delay"]);
});

test("loosely, half of the words that say something are enough, the most of them first", () => {
  const some = [
    { title: "Moving average", words: ["last hour"] },
    { title: "Share of time", words: ["last hour", "percent"] },
  ];
  expect(selectLooseMatches(some, "the share of the last hour").map(({ title }) => title)).toEqual([
    "Share of time",
    "Moving average",
  ]);
  expect(selectMatches(some, "share of my last hour")).toEqual([]);
  expect(selectLooseMatches(some, "quite something else")).toEqual([]);
});

test("of things with the same word, the one that names it earlier comes first", () => {
  const some = [
    { title: "Happened within", words: ["recently", "window", "followed by"] },
    { title: "Sequence", words: ["funnel", "followed by"] },
  ];
  const titles = (search: string) => selectMatches(some, search).map(({ title }) => title);
  expect(titles("followed by")).toEqual(["Sequence", "Happened within"]);
  expect(titles("followed b"), "while it is typed").toEqual(["Sequence", "Happened within"]);
});
