import { describe, expect, it, test } from "vitest";
import { asNames, has, termAt, termsOf, toggled, formatTermValue } from "./language";
import { proposalsAt, acceptProposal, isUnfinished, findWantedValues, type Proposal } from "./proposals";

const ALL = ["plan", "node", "stream", "dashboard"] as const;
const texts = (text: string, told: string[] = [], kinds: Parameters<typeof proposalsAt>[2] = ALL): string[] =>
  proposalsAt(
    text,
    text.length,
    kinds,
    told.map((value) => ({ value, words: "" })),
  ).map((proposal) => proposal.text);
const first = (text: string, caret: number): Proposal => {
  const [one] = proposalsAt(text, caret, ALL, []);
  if (!one) throw new Error(`nothing is proposed for ${text}`);
  return one;
};

test("an operator is proposed by what people read as its name, too", () => {
  const told = [
    { value: "has_existed", words: "Ever happened" },
    { value: "not", words: "Not" },
  ];
  const proposed = (text: string) =>
    proposalsAt(text, text.length, ALL, told).map((proposal) => proposal.text);
  expect(proposed("op:happ")).toEqual(["op:has_existed"]);
  expect(proposed("stream:happ"), "the words of other fields say of which kind a value is").toEqual([]);
});

describe("words", () => {
  it("are read with their places, fields and quotes", () => {
    expect(termsOf(' a -owner:"night shift" is:')).toEqual([
      { start: 1, end: 2, no: false, field: "", value: "a" },
      { start: 3, end: 23, no: true, field: "owner", value: "night shift" },
      { start: 24, end: 27, no: false, field: "is", value: "" },
    ]);
  });

  test("an open quote goes on to the end", () => {
    expect(termsOf('owner:"night sh').map(({ value }) => value)).toEqual(["night sh"]);
  });

  test.each([
    ["owner:me card", 3, "owner"],
    ["owner:me card", 8, "owner"],
    ["owner:me card", 13, ""],
  ])("the one at the caret is meant: %j at %d", (text, caret, field) => {
    expect(termAt(text, caret).field).toBe(field);
  });

  test.each([
    ["plain", "plain"],
    ["two words", '"two words"'],
    ["a:b", '"a:b"'],
    ["-a", '"-a"'],
    ['say "x"', '"say x"'],
  ])("%j is written %j", (value, said) => {
    expect(formatTermValue(value)).toBe(said);
  });

  it("are switched on and off, wherever they stand and however they are written", () => {
    expect(toggled("card", "owner:me")).toBe("card owner:me");
    expect(toggled("card Owner:ME is:open", "owner:me")).toBe("card is:open");
    expect(has("-owner:me", "owner:me")).toBe(false);
  });

  it("of names are never read as anything else", () => {
    expect(asNames('  cirr owner:me "x -b ')).toBe('cirr "owner:me" x "-b"');
  });
});

describe("proposals", () => {
  it("begin with what is mostly asked", () => {
    expect(texts("")).toEqual(["owner:me", "is:failing", "is:running", "op:", "uses:", "stream:"]);
  });

  it("complete fields, and states by their names", () => {
    expect(texts("o")).toEqual(["owner:", "op:"]);
    expect(texts("a ru")).toEqual(["is:running"]);
    expect(texts("-ow")).toEqual(["-owner:"]);
    expect(texts("card ")).toEqual([]);
  });

  it("are those of the list that is searched", () => {
    expect(texts("", [], ["dashboard"])).toEqual(["owner:me", "uses:", "stream:"]);
    expect(texts("is:", [], ["dashboard"])).toEqual(["is:mine", "is:shared", "is:open"]);
  });

  it("are values, those that begin so first, and never what stands there already", () => {
    expect(texts("op:and", ["land", "and", "and_then"])).toEqual(["op:and_then", "op:land"]);
    expect(texts("owner:m", ["mary", "tom smith"])).toEqual(["owner:me", "owner:mary", 'owner:"tom smith"']);
  });

  test("what the server is asked for is what it knows", () => {
    expect(findWantedValues("a op:du", 7)).toEqual({ field: "op", part: "du" });
    expect(findWantedValues("is:ru", 5)).toBeNull();
    expect(findWantedValues("ru", 2)).toBeNull();
  });

  it("take the place of the word, and leave the caret after it", () => {
    expect(acceptProposal("a ow b", first("a ow b", 4))).toEqual({ text: "a owner: b", caret: 8 });
    expect(acceptProposal("is:fail", first("is:fail", 7))).toEqual({ text: "is:failing ", caret: 11 });
    expect(acceptProposal("is:fail b", first("is:fail b", 7))).toEqual({ text: "is:failing b", caret: 11 });
  });

  test.each([
    ["owner:", true],
    ['a "b', true],
    ["-", true],
    ["owner:m", false],
    ["", false],
  ])("%j is not worth asking for yet: %s", (text, is) => {
    expect(isUnfinished(text, text.length)).toBe(is);
  });
});
