import { afterEach, describe, expect, it } from "vitest";
import { setZone } from "../../core/time/zone";
import type { WhyLink } from "../../core/api/types";
import { describeContext, renameNodes, fieldsOf, partsOf, pathOf, spellSentence, spellValue } from "./chain";

const NOON = Date.UTC(2024, 6, 1, 12) * 1000;

function link(node: string, because: string[] = [], rest: Partial<WhyLink> = {}): WhyLink {
  const said = { op: "and", title: "And", kind: "bool" as const, value: true, from: null, to: null };
  const plain = (text: string) => [{ text, at: null }];
  const words = {
    sentence: "It is.",
    sentence_parts: plain("It is."),
    ends: "never ends",
    ends_parts: plain("never ends"),
    events: [],
    final: true,
  };
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

describe("the instants of a sentence", () => {
  const parts = [
    { text: "It was so until ", at: null },
    { text: "12:00:00", at: NOON },
    { text: ".", at: null },
  ];
  afterEach(() => setZone(""));

  it("are those of the zone that is shown", () => {
    expect(spellSentence(parts, NOON)).toBe("It was so until 12:00:00 UTC.");
    setZone("Asia/Kolkata");
    expect(spellSentence(parts, NOON)).toBe("It was so until 17:30:00 UTC+5:30.");
    expect(spellSentence(parts, NOON + 86_400_000_000)).toBe("It was so until 2024-07-01 17:30:00 UTC+5:30.");
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
    expect(describeContext(root, root)).toBe("");
    expect(describeContext(link("cirr"), root)).toBe("of s1");
    expect(describeContext(link("cirr", [], { at: NOON - 1_000_000 }), root)).toBe("of s1 at 11:59:59");
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
    const told = link("calm", ["played"], {
      sentence_parts: [{ text: "`played` is false: no `played == 1`.", at: null }],
    });
    const names = new Map([
      ["calm", "still"],
      ["played", "calm"],
    ]);
    expect(renameNodes(told, names)).toMatchObject({
      node: "still",
      because: ["calm"],
      sentence_parts: [{ text: "`calm` is false: no `played == 1`.", at: null }],
    });
  });
});

describe("an event", () => {
  it("is its fields in one line", () => {
    expect(fieldsOf({ user_action: "seek", n: 2 })).toBe('user_action: "seek", n: 2');
    expect(fieldsOf({})).toBe("an event without fields");
  });
});

it("a value is spelled as somebody chose for its node", () => {
  const display = { values: { failed: { label: "Out of order" } }, format: "percent" } as const;
  expect(spellValue("failed", display)).toBe("Out of order");
  expect(spellValue(0.5, display)).toBe("50 %");
  expect(spellValue(null, display)).toBe("unknown");
});
