import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { NodePage } from "./NodePage";
import { StreamPage } from "../streams/StreamPage";

// The lanes need a browser as soon as their program is there; while a page loads there are none.
vi.mock("./NodeLanes", () => ({ NodeLanes: () => null }));

const PAGES: readonly [string, ReactNode, string][] = [
  ["a node", createElement(NodePage, { me: null, digest: "d1" }), "Loading what is known of this node…"],
  ["a stream", createElement(StreamPage, { me: null, name: "player" }), "Loading the stream player…"],
];

test.each(PAGES)(
  "the page of %s stands before anything of it is known, and says what it loads",
  (_, page, words) => {
    const drawn = renderToStaticMarkup(page);
    expect(drawn).toContain("<header");
    expect(drawn).toContain(words);
  },
);
