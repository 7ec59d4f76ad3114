import { expect, test } from "vitest";
import { escapeTexts, escapeText } from "./plotlyText";

/** As Plotly reads what it is told: tags are taken out, and then entities are read. */
function asDrawn(told: string): string {
  const signs: Record<string, string> = { amp: "&", lt: "<", gt: ">" };
  return told
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&(#\d+|[a-z]+);/g, (whole, name: string) =>
      name.startsWith("#") ? String.fromCodePoint(Number(name.slice(1))) : (signs[name] ?? whole),
    );
}

const VALUES = [
  '<a href="https://evil.example/login">Session expired: log in again</a>',
  '<a href="javascript:alert(1)">here</a>',
  "<img src=x onerror=alert(1)>",
  "a<b and c>d",
  "<b>bold</b> & <i>x</i>",
  "&lt;b&gt; &amp;lt; &#60;",
  "$5 and $6",
  "one<br>line",
  "<sup>",
  "plain",
];

test.each(VALUES)("%s is drawn as it is", (value) => {
  expect(escapeText(value)).not.toMatch(/[<>$]/);
  expect(asDrawn(escapeText(value))).toBe(value);
});

test("every text of traces and of a layout is literal, and nothing else is touched", () => {
  const x = [1, 2, 3];
  const told = escapeTexts([
    { type: "bar", x, text: ["<b>", 1, null], name: "a&b", marker: { color: ["#0072b2"] }, y: ["<i>"] },
    { hovertext: "<b>", customdata: [["<b>", 1]], line: { dash: "4px,3px" } },
  ]);
  expect(told).toEqual([
    {
      type: "bar",
      x,
      text: ["&lt;b&gt;", 1, null],
      name: "a&amp;b",
      marker: { color: ["#0072b2"] },
      y: ["&lt;i&gt;"],
    },
    { hovertext: "&lt;b&gt;", customdata: [["&lt;b&gt;", 1]], line: { dash: "4px,3px" } },
  ]);
  expect((told[0] as { x: unknown }).x).toBe(x);
  expect(
    escapeTexts({
      title: { text: "<b>" },
      xaxis: { ticktext: ["a<b"], title: "<i>", range: [0, 1] },
      annotations: [{ text: "<u>" }],
    }),
  ).toEqual({
    title: { text: "&lt;b&gt;" },
    xaxis: { ticktext: ["a&lt;b"], title: "&lt;i&gt;", range: [0, 1] },
    annotations: [{ text: "&lt;u&gt;" }],
  });
});
