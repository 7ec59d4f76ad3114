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
