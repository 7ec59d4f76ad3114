import { expect, test } from "vitest";
import { OPERATORS } from "./sample.testing";
import { describeRequirement } from "./required";

test("of a value and another input of which one is needed, neither is called optional", () => {
  const equal = OPERATORS.get("equal_to");
  if (!equal) throw new Error("no operator");
  const words = [...equal.parameters, ...equal.inputs].map((one) => [
    one.name,
    describeRequirement(equal, one),
  ]);
  expect(Object.fromEntries(words)).toEqual({ value: "or other", of: "", other: "or value" });
});
