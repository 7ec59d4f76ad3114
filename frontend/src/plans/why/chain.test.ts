import { describe, expect, it } from "vitest";
import type { WhyLink } from "../../core/api/types";
import { aside, called, fieldsOf, partsOf, pathOf, spellValue } from "./chain";

const NOON = Date.UTC(2024, 6, 1, 12) * 1000;

function link(node: string, because: string[] = [], rest: Partial<WhyLink> = {}): WhyLink {
  const said = { op: "and", title: "And", kind: "bool" as const, value: true, from: null, to: null };
  const words = { sentence: "It is.", ends: "never ends", events: [], final: true };
  return { node, because, key: "s1", at: NOON, ...said, ...words, ...rest };
}

describe("a sentence", () => {
  it("is told in words and code", () => {
    expect(partsOf('`calm` is false: no `x == "a"`.')).toEqual([
      { text: "calm", code: true },
      { text: " is false: no ", code: false },
      { text: 'x == "a"', code: true },
      { text: ".", code: false },
    ]);
  });

  it("loses nothing", () => {
    for (const text of ["", "plain", "`a`", "`a` b `c`", "odd ` one"])
      expect(
        partsOf(text)
          .map((part) => part.text)
          .join(""),
      ).toBe(text.replaceAll("`", ""));
  });
});

describe("a value", () => {
  it.each([
    [null, "unknown"],
    [false, "false"],
    ["buffer", "buffer"],
    [0.1 + 0.2, "0.3"],
    [10.000001, "10.000001"],
  ])("%s is %s", (value, words) => expect(spellValue(value)).toBe(words));
});

describe("a link", () => {
  it("says its key and instant only where they are others", () => {
    const root = link("total", [], { key: "*" });
    expect(aside(root, root)).toBe("");
    expect(aside(link("cirr"), root)).toBe("of s1");
    expect(aside(link("cirr", [], { at: NOON - 1_000_000 }), root)).toBe("of s1 at 11:59:59");
  });
});

describe("the path", () => {
  it("has every node that speaks and the wires between them", () => {
    const path = pathOf([
      link("cirr", ["induced"]),
      link("induced", ["calm", "played"]),
      link("calm"),
      link("played"),
    ]);
    expect([...path.nodes]).toEqual(["cirr", "induced", "calm", "played"]);
    expect([...path.wires]).toEqual(["induced>cirr", "calm>induced", "played>induced"]);
  });
});

describe("a node that is drawn under another name", () => {
  it("is called so, in the sentences too", () => {
    const told = link("calm", ["played"], { sentence: "`played` is false: no `played == 1`.", ends: "" });
    const names = new Map([
      ["calm", "still"],
      ["played", "calm"],
    ]);
    expect(called(told, names)).toMatchObject({
      node: "still",
      because: ["calm"],
      sentence: "`calm` is false: no `played == 1`.",
    });
  });
});

describe("an event", () => {
  it("is its fields in one line", () => {
    expect(fieldsOf({ user_action: "seek", n: 2 })).toBe('user_action: "seek", n: 2');
    expect(fieldsOf({})).toBe("an event without fields");
  });
});
