import { expect, test } from "vitest";
import { CIRR } from "../../core/graph/sample.testing";
import { locateProblem, placesOf, readJson } from "./json";

const TEXT = JSON.stringify(CIRR, null, 2);

function lineOf(text: string, line: number): string {
  return (text.split("\n")[line - 1] ?? "").trim();
}

test("what is written is read again, with the place of every node", () => {
  const reading = readJson(TEXT);
  expect(reading.document).toEqual(CIRR);
  expect(Object.keys(reading.places)).toEqual(Object.keys(CIRR.nodes));
  for (const [name, [line, column]] of Object.entries(placesOf(TEXT))) {
    expect(lineOf(TEXT, line)).toBe(`"${name}": {`);
    expect(column).toBe(5);
  }
});

test("what is no JSON is refused at its place, in words that do not repeat it", () => {
  for (const [text, line, column] of [
    ["", 1, 1],
    ["{", 1, 2],
    ['{\n  "version": 1,\n  "nodes": {\n    "a": {"op": "x"}\n    "b": {}\n  }\n}', 5, 5],
    ['{\n  "version": one\n}', 2, 14],
    ['plan "x"', 1, 1],
    ['{"version": 1}}', 1, 15],
  ] as const) {
    const [problem] = readJson(text).problems;
    expect([problem?.line, problem?.column], text).toEqual([line, column]);
    expect(problem?.message, text).not.toMatch(/position|line \d/);
    expect(problem?.hint).not.toBe("");
  }
});

test("what is no plan document is refused at the part that is wrong", () => {
  for (const [value, found] of [
    [[], "["],
    [{ nodes: {} }, "{"],
    [{ version: 2, nodes: {} }, '"version": 2,'],
    [{ version: 1, nodes: [] }, '"nodes": []'],
    [{ version: 1, nodes: { a: {} } }, '"a": {}'],
    [{ version: 1, nodes: { a: { op: "x", inputs: { of: 1 } } } }, '"inputs": {'],
    [{ version: 1, nodes: { a: { op: "x", params: [] } } }, '"params": []'],
    [{ version: 1, nodes: { a: { op: "x", stream: 7 } } }, '"stream": 7'],
    [{ version: 1, nodes: {}, results: "a" }, '"results": "a"'],
    [{ version: 1, nodes: {}, layout: { a: [1] } }, '"a": ['],
  ] as const) {
    const text = JSON.stringify(value, null, 2);
    const reading = readJson(text);
    expect(reading.document, text).toBeNull();
    expect(lineOf(text, reading.problems[0]?.line ?? 0), text).toContain(found);
  }
});

test("two nodes of one name are refused, where JSON would lose one", () => {
  const text = '{"version": 1, "nodes": {\n"a": {"op": "x"},\n"a": {"op": "y"}}}';
  expect(readJson(text).problems[0]).toMatchObject({
    line: 3,
    column: 1,
    message: 'There are two nodes "a".',
  });
});

test("a problem of the check is shown at the parameter, the port, or the node", () => {
  const problem = { code: "x", message: "no", hint: "", severity: "error" as const };
  const at = (node: string | null, port: string | null) =>
    lineOf(TEXT, locateProblem(TEXT, { ...problem, node, port }).line ?? 0);
  expect(at("seeking", "duration")).toBe('"duration": "5s"');
  expect(at("calm", "of")).toBe('"of": "seeking"');
  expect(at("calm", "other")).toBe('"inputs": {');
  expect(at(null, "results")).toBe('"results": [');
  expect(at("nobody", null)).toBe('"nodes": {');
});
