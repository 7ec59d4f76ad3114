import { expect, test } from "vitest";
import { listHints, isChoice, isDuration } from "./hints";
import type { InputPort } from "../api/types";
import { CIRR, MEETING, OPERATORS, operatorOf, parameterOf } from "./sample.testing";

const codes = (nodes: typeof CIRR.nodes) =>
  listHints({ ...CIRR, nodes }, MEETING).map((hint) => `${hint.port} ${hint.code}`);

test("a plan that is complete has no hints", () => {
  expect(listHints(CIRR, OPERATORS)).toEqual([]);
});

test("a node that is not configured says all that it lacks", () => {
  expect(codes({ a: { op: "has_existed_within" } })).toEqual([
    "stream missing_stream",
    "where missing_parameter",
    "duration missing_parameter",
  ]);
});

test("inputs are counted, durations are read, operators are known", () => {
  expect(codes({ a: { op: "and", inputs: { of: ["b"] } }, b: { op: "nonsense" } })).toEqual([
    "of missing_input",
    "null unknown_operator",
  ]);
  expect(codes({ a: { op: "shift", inputs: { of: "a" }, params: { duration: "soon" } } })).toEqual([
    "duration bad_duration",
  ]);
});

test("a percentile stands for a choice where the parameter takes these", () => {
  const plain = { ...parameterOf("choice"), choices: ["sum", "p50"] };
  expect(["sum", "p50", "p95", ""].map((text) => isChoice(plain, text))).toEqual([true, true, false, false]);
  const open = { ...plain, percentiles: true };
  expect(["p95", "p99.9", "p0.5", "p100"].every((text) => isChoice(open, text))).toBe(true);
  expect(["p0", "p100.1", "p", "95", "p-5", "p1e1", "mean"].some((text) => isChoice(open, text))).toBe(false);
});

test("a period that a parameter takes stands for a duration", () => {
  const every = { ...parameterOf("duration"), choices: ["1w", "1month"] };
  expect(["10s", "1month", "1w"].every((text) => isDuration(every, text))).toBe(true);
  expect(["2month", "soon", ""].some((text) => isDuration(every, text))).toBe(false);
});

test("an optional port for several wires is content with none and with one", () => {
  const group: InputPort = { ...operatorOf("x", ["by"]).inputs[0], many: true } as InputPort;
  const operators = new Map([...OPERATORS, ["by_group", { ...operatorOf("by_group", []), inputs: [group] }]]);
  for (const by of [[], ["a"], ["a", "b"]])
    expect(listHints({ ...CIRR, nodes: { x: { op: "by_group", inputs: { by } } } }, operators)).toEqual([]);
});

test("exactly one of a value and a second input is given", () => {
  expect(codes({ a: { op: "equal_to", inputs: { of: "a" } } })).toEqual(["value one_of"]);
  expect(codes({ a: { op: "equal_to", inputs: { of: "a", other: "a" }, params: { value: 1 } } })).toEqual([
    "value one_of",
  ]);
});

test("a stream or a bool says at which instants one looks", () => {
  const leaf = { op: "latest_event_to_state", stream: "player", params: { field: "cdn" } };
  const looked = (more: object) => codes({ a: leaf, v: { op: "value_at", inputs: { of: "a" }, ...more } });
  expect(looked({ stream: "player" })).toEqual([]);
  expect(looked({ inputs: { of: "a", when: "a" } })).toEqual([]);
  expect(looked({})).toEqual(["stream one_of"]);
  expect(looked({ stream: "player", inputs: { of: "a", when: "a" } })).toEqual(["stream one_of"]);
});
