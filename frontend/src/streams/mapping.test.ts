import { describe, expect, it } from "vitest";
import { mappingOf, NEW_RULE, rowsOfMapping } from "./mapping";

describe("the rules of a mapping", () => {
  it.each([
    [{ to: "a", from: "b" }],
    [{ to: "a", from: "ctx.level", cast: "number" as const }],
    [{ to: "site", constant: "Berlin" }],
    [{ to: "site", constant: "7" }],
    [{ to: "site", constant: '"7"' }],
    [{ to: "site", constant: 7 }],
    [{ to: "site", constant: false }],
    [{ to: "site", constant: "[1]" }],
  ])("%j is written and read without loss", (rule) => {
    expect(mappingOf(rowsOfMapping([rule]))).toEqual([rule]);
  });

  it("leaves out a row in which nothing stands, and keeps one that is not whole for the server to refuse", () => {
    expect(mappingOf([NEW_RULE, { ...NEW_RULE, to: " a " }])).toEqual([{ to: "a", from: "" }]);
  });
});
