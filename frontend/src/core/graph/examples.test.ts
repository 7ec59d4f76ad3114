import { expect, test } from "vitest";
import { buildExampleCondition, readAsText } from "./examples";

test("an example of a condition has a field that the stream has, compared as its type is", () => {
  expect(buildExampleCondition({ fields: { speed: "number", gear: "text" } })).toBe("speed > 0");
  expect(buildExampleCondition({ fields: { "not plain": "text", live: "bool" } })).toBe("live == true");
  expect(buildExampleCondition({ fields: { gear: "text" } })).toBe('gear == "value"');
});

test("where no field is known the example names none of another stream", () => {
  expect(buildExampleCondition(undefined)).toBe('field == "value"');
  expect(buildExampleCondition({ fields: {} })).toBe('field == "value"');
});

test("a number that is taken as text is said to be, and nothing else is", () => {
  expect(readAsText("5", "text")).toMatch(/^This is the text "5", as/);
  expect(readAsText(" -1.5e3 ", "any")).toMatch(/until it is known/);
  expect(readAsText("5s", "text")).toBeNull();
  expect(readAsText(5, "number")).toBeNull();
  expect(readAsText("10min", "number")).toBeNull();
  expect(readAsText(undefined, "text")).toBeNull();
});
