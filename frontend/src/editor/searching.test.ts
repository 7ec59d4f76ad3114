import { expect, it } from "vitest";
import { operatorOf } from "../graph/sample.testing";
import { matchesSearch } from "./searching";

const greatest = {
  ...operatorOf("max_within", ["of"]),
  title: "Max within",
  summary: "The greatest value.",
  synonyms: ["rolling maximum", "peak"],
};

it("finds an operator by its name, by what it does and by what others call it", () => {
  expect(matchesSearch(greatest, "max")).toBe(true);
  expect(matchesSearch(greatest, "greatest")).toBe(true);
  expect(matchesSearch(greatest, "Rolling max")).toBe(true);
});

it("wants every word", () => {
  expect(matchesSearch(greatest, "rolling minimum")).toBe(false);
});
