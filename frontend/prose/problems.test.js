import markdown from "@eslint/markdown";
import { Linter } from "eslint";
import tseslint from "typescript-eslint";
import { describe, expect, it } from "vitest";

import prose from "./plugin.js";
import { findLongSentences, findOpenings, findWords } from "./problems.js";
import { MAX_WORDS_PER_SENTENCE, OPENINGS } from "./vocabulary.js";

const rules = { "prose/vocabulary": 2, "prose/opening": 2, "prose/length": 2 };
const page = { files: ["**/*.md"], language: "markdown/gfm", plugins: { markdown, prose }, rules };
const parserOptions = { ecmaFeatures: { jsx: true } };
const script = {
  files: ["**/*.tsx"],
  languageOptions: { parser: tseslint.parser, parserOptions },
  plugins: { prose },
  rules,
};

function lint(text, filename) {
  const messages = new Linter().verify(text, [page, script], { filename });
  return messages.map(({ ruleId, line, column }) => `${ruleId} ${line}:${column}`);
}

const words = (number) => Array.from({ length: number }, () => "word").join(" ") + ".";

describe("words", () => {
  it.each([
    "You are told.",
    "It begins anew.",
    "Mending is easy.",
    "an operator of your own",
    "The Door is shut.",
  ])("refuses %s", (text) => expect(findWords(text)).toHaveLength(1));
  it("takes words that only contain one", () =>
    expect(findWords("amendment, a toldo, the doors")).toEqual([]));
});

describe("openings", () => {
  it.each(OPENINGS)("refuses %s", (opening) => {
    expect(
      findOpenings(`It is so. ${opening} is late counts.`.replace(/\. ./u, (end) => end.toUpperCase())),
    ).toHaveLength(1);
  });
  it("takes questions, labels, and the same word further on", () => {
    expect(findOpenings("What is late? See below.")).toEqual([]);
    expect(findOpenings("What changed")).toEqual([]);
    expect(findOpenings("It says who it was.")).toEqual([]);
  });
});

describe("length", () => {
  it("takes as many words as a sentence may have, and no more", () => {
    expect(findLongSentences(words(MAX_WORDS_PER_SENTENCE))).toEqual([]);
    expect(findLongSentences(words(MAX_WORDS_PER_SENTENCE + 1))).toHaveLength(1);
  });
  it("counts each sentence alone, and goes on over the end of a line", () => {
    expect(findLongSentences(`${words(20)} W${words(20)}`)).toEqual([]);
    expect(findLongSentences(words(40).replaceAll("word word", "word\nword"))).toHaveLength(1);
  });
});

describe("Markdown", () => {
  it("is read in paragraphs, headings, lists and cells of tables, with the place", () => {
    expect(lint("# Told\n\nA line\nand told.\n\n* told\n\n| a |\n| --- |\n| told |\n", "a.md")).toEqual([
      "prose/vocabulary 1:3",
      "prose/vocabulary 4:5",
      "prose/vocabulary 6:3",
      "prose/vocabulary 10:3",
    ]);
  });
  it("is not read in code, of which a span counts as one word", () => {
    expect(lint("    told anew\n\n```\ntold\n```\n\n`told` is a word.\n", "a.md")).toEqual([]);
    expect(lint(`\`${words(40)}\` is code.\n`, "a.md")).toEqual([]);
  });
  it("may have texts that a rule leaves out", () => {
    const long = { ...page, rules: { "prose/length": ["error", { except: "^Result" }] } };
    const verify = (text) => new Linter().verify(text, [long], { filename: "a.md" });
    expect(verify(`Result: ${words(40)}\n`)).toEqual([]);
    expect(verify(words(40))).toHaveLength(1);
  });
  it("has the three rules", () => {
    expect(lint(`Who is told, ${words(30)}\n`, "a.md").sort()).toEqual([
      "prose/length 1:1",
      "prose/opening 1:1",
      "prose/vocabulary 1:8",
    ]);
  });
});

describe("strings of the page", () => {
  it("are texts between tags, attributes, literals and templates", () => {
    const attribute = 'const a = <a title="You are told">You are told</a>;\n';
    expect(
      lint(`${attribute}const b = "begin anew";\nconst c = \`begin \${b} anew\`;\n`, "a.tsx"),
    ).toHaveLength(4);
  });
  it("are not class names, single words and comments", () => {
    expect(
      lint('// told anew\nconst a = <a className="told anew" />;\nconst b = "told";\n', "a.tsx"),
    ).toEqual([]);
  });
});
