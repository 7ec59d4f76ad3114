import { expect, test } from "vitest";
import { hints } from "./hints";
import { CIRR, OPERATORS } from "./sample.testing";

const codes = (nodes: typeof CIRR.nodes) =>
  hints({ ...CIRR, nodes }, OPERATORS).map((one) => `${one.port} ${one.code}`);

test("a plan that is complete has no hints", () => {
  expect(hints(CIRR, OPERATORS)).toEqual([]);
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

test("exactly one of a value and a second input is given", () => {
  expect(codes({ a: { op: "equal_to", inputs: { of: "a" } } })).toEqual(["value one_of"]);
  expect(codes({ a: { op: "equal_to", inputs: { of: "a", other: "a" }, params: { value: 1 } } })).toEqual([
    "value one_of",
  ]);
});
