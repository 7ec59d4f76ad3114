import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import Markdown from "./Markdown";

const shown = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));

test("Markdown has its elements", () => {
  expect(
    shown("# On call\n\nCall **Ada** or *Bob*: `M1`\n\n* one\n* two\n\n1. first\n\n> quoted\n\n---"),
  ).toBe(
    "<h3>On call</h3><p>Call <strong>Ada</strong> or <em>Bob</em>: <code>M1</code></p>" +
      "<ul><li><p>one</p></li><li><p>two</p></li></ul><ol><li><p>first</p></li></ol>" +
      "<blockquote><p>quoted</p></blockquote><hr/>",
  );
  expect(shown("    code\n")).toBe("<pre>code</pre>");
});

test("HTML is shown as it is written", () => {
  const markup = shown('<script>alert(1)</script>\n\n<img src=x onerror="alert(1)"> and <b>bold</b>');
  expect(markup).not.toMatch(/<(?:script|img|b)\b/);
  expect(markup).toContain("&lt;script&gt;");
});

test("pictures are their description: a dashboard asks nothing of other servers", () => {
  expect(shown("![a chart](https://example.org/x.png)")).toBe("<p>a chart</p>");
});

test.each(["https://example.org/a", "http://example.org", "mailto:ada@example.org", "/plans/3/", "#part"])(
  "a link leads to %s",
  (url) => {
    expect(shown(`[go](${url})`)).toContain(`<a href="${url}" rel="noopener noreferrer">go</a>`);
  },
);

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "data:text/html;base64,PHNjcmlwdD4=",
  "vbscript:x",
  "//evil.example",
  "&#106;avascript:alert(1)",
  "/\\evil.example",
])("a link to %s is only its words", (url) => {
  expect(shown(`[go](<${url}>)`)).toBe("<p>go</p>");
});

const LENGTH = 20_000;
const ENTANGLED: Record<string, string> = {
  quotes: ">".repeat(LENGTH),
  "spaced quotes": " > ".repeat(LENGTH / 3),
  lists: "- ".repeat(LENGTH / 2) + "a",
  "numbered lists": `words\n${"1. ".repeat(LENGTH / 4)}x`,
  emphasis: "_".repeat(LENGTH / 2) + "a" + "_".repeat(LENGTH / 2 - 1),
  "strong words": "**a ".repeat(LENGTH / 8) + " b**".repeat(LENGTH / 8),
  stars: "***a".repeat(LENGTH / 4),
  brackets: "[".repeat(LENGTH),
  links: "[a](".repeat(LENGTH / 4),
  steps: Array.from({ length: 190 }, (_, i) => `${" ".repeat(i)}- a`).join("\n"),
};

test.each(Object.keys(ENTANGLED))("what is as entangled as %s is shown as it is written", (name) => {
  const text = ENTANGLED[name] ?? "";
  expect(shown(text)).toBe(`<pre>${text.replaceAll(">", "&gt;")}</pre>`);
});

test("usual words are not taken for entangled ones", () => {
  expect(shown("- - - - -")).toBe("<hr/>");
  const links = Array.from({ length: 100 }, (_, i) => `* [plan ${i}](/plans/${i}/) of **Ada**`).join("\n");
  expect(shown(links).match(/<a /g)).toHaveLength(100);
  expect(shown("> ".repeat(10) + "deep")).toContain("deep</p></blockquote>");
});
