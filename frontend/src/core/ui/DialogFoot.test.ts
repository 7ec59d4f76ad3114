import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { DialogFoot } from "./DialogFoot";

const drawn = (props: { refusal?: string | null; busy?: boolean; failure?: string }): string =>
  renderToStaticMarkup(createElement(DialogFoot, { close: () => undefined, children: "Add", ...props }));

test("a button that is refused stays within reach of the keyboard, and says so", () => {
  expect(drawn({ refusal: "Choose a plan first." })).toMatch(/<button[^>]*aria-disabled="true"/);
  expect(drawn({ busy: true })).toMatch(/<button[^>]*aria-disabled="true"/);
  expect(drawn({ refusal: "Choose a plan first." })).not.toMatch(/ disabled|title=|role="alert"/);
  expect(drawn({ refusal: null })).toContain('aria-disabled="false"');
});

test("what was refused is told at once", () => {
  expect(drawn({ failure: "Gone." })).toContain('role="alert"');
});
