import { describe, expect, test } from "vitest";
import { parseDocument, findSinks, listWires } from "./document";
import { CIRR } from "./sample.testing";

describe("a plan document", () => {
  test("goes through text and back with keys that nobody here knows", () => {
    expect(parseDocument(JSON.stringify(CIRR))).toEqual(CIRR);
  });

  test("names its wires by port", () => {
    expect(listWires(CIRR)).toContainEqual({ from: "calm", to: "induced", port: "of" });
    expect(listWires(CIRR)).toHaveLength(5);
  });

  test("has the nodes that nobody reads as sinks", () => {
    expect(findSinks(CIRR)).toEqual(["cirr"]);
  });

  test.each([
    ["[]", "is a JSON object"],
    ['{"version": 2}', '"version": 1'],
    ['{"version": 1, "nodes": []}', '"nodes"'],
    ['{"version": 1, "nodes": {"a": {}}}', '"a" needs "op"'],
    ['{"version": 1, "nodes": {"a": {"op": "not", "inputs": {"of": 1}}}}', '"inputs"'],
    ['{"version": 1, "nodes": {"a": {"op": "not", "params": []}}}', '"params"'],
    ['{"version": 1, "nodes": {}, "layout": []}', '"layout"'],
    ['{"version": 1, "nodes": {}, "layout": {"a": [1]}}', '"a"'],
    ['{"version": 1, "nodes": {}, "groups": {}}', '"groups"'],
    ['{"version": 1, "nodes": {}, "groups": [{"title": "x", "nodes": [1]}]}', '"groups"'],
    ['{"version": 1, "nodes": {}, "comments": [5]}', '"comments"'],
  ])("%s is refused in words", (text, words) => {
    expect(() => parseDocument(text)).toThrow(words);
  });
});
