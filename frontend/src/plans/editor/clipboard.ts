/** Copy, cut, paste and duplicate: by the system clipboard, so that they work between plans, tabs and programs. */
import type { PlanDocument } from "../../core/api/types";
import { buildClipping, cornerOf, paste, readClipping } from "../../core/graph/clip";
import { COMMENT } from "../../core/graph/geometry";
import type { Position } from "../../core/graph/position";
import { change, select } from "./edits";
import { removeAll, selectedComments, selectedNodes } from "./selectionActions";
import { documentOf, get, set } from "./store";
import { findInsertionPoint, onGrid, placesOf, placesOfComments } from "./view";

const ASIDE: Position = [32, 32];

/** What is selected, as a plan document of its own; null where nothing is. */
function selectedClipping(): PlanDocument | null {
  const state = get();
  const [names, comments] = [selectedNodes(), selectedComments()];
  if (names.length + comments.size === 0) return null;
  const places = { nodes: placesOf(documentOf(state)), comments: placesOfComments(state) };
  return buildClipping(documentOf(state), names, comments, places);
}

export function pasteClipping(clipping: PlanDocument, by: Position, outer: boolean): void {
  const pasted = paste(documentOf(get()), clipping, by, outer);
  change(() => pasted.document);
  select([...pasted.names, ...pasted.comments.map((i) => `${COMMENT}${i}`)]);
}

/** A copy beside what is selected, fed by the same nodes. */
export function duplicate(): void {
  const clipping = selectedClipping();
  if (clipping) pasteClipping(clipping, ASIDE, true);
}

function told(clipping: PlanDocument, done: string): void {
  const nodes = Object.keys(clipping.nodes).length;
  const what = nodes === 1 ? "One node" : `${nodes} nodes`;
  const comments = clipping.comments?.length ?? 0;
  const words = nodes > 0 ? what : comments === 1 ? "One comment" : `${comments} comments`;
  set({ notice: { tone: "good", text: `${words} ${done}.` } });
}

const KEPT = "timelines.clipping";

/** Kept beside the clipboard, which a browser may refuse: for the other tabs of this browser. */
function keep(text: string): void {
  try {
    localStorage.setItem(KEPT, text);
  } catch {
    // Then it is in the clipboard alone.
  }
}

function kept(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

function removeSelected(): void {
  removeAll(get().selected, []);
}

function takes(event: ClipboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("input, textarea, select, [contenteditable]")) return false;
  const chosen = window.getSelection();
  const inPage = window.document.querySelector(".canvas") !== null;
  return inPage && window.document.querySelector("dialog[open]") === null && (chosen?.isCollapsed ?? true);
}

function onCopy(event: ClipboardEvent): void {
  const clipping = takes(event) ? selectedClipping() : null;
  if (!clipping) return;
  event.preventDefault();
  const text = JSON.stringify(clipping, null, 2);
  event.clipboardData?.setData("text/plain", text);
  keep(text);
  const isCut = event.type === "cut";
  if (isCut) removeSelected();
  told(clipping, isCut ? "cut" : "copied");
}

/** Paste a text so that its corner lies at the mouse, or in the middle; says so where it holds no nodes. */
export function pasteText(text: string, outer: boolean): void {
  const clipping = readClipping(text);
  if (!clipping)
    return set({ notice: { tone: "bad", text: "The clipboard has no nodes. Copy nodes in a plan first." } });
  const [x, y] = cornerOf(clipping);
  const at = findInsertionPoint().at;
  const [dx, dy] = onGrid([at[0] - x, at[1] - y]);
  const taken = Object.values(placesOf(documentOf(get())));
  const clash = taken.some(([a, b]) => Math.abs(a - x - dx) < 24 && Math.abs(b - y - dy) < 24);
  pasteClipping(clipping, clash ? [dx + ASIDE[0], dy + ASIDE[1]] : [dx, dy], outer);
}

let outerOnce = false;

/** The next paste keeps wires from nodes outside of what is pasted. */
export function keepOuterWires(): void {
  outerOnce = true;
}

function onPaste(event: ClipboardEvent): void {
  if (!takes(event)) return;
  event.preventDefault();
  const outer = outerOnce;
  outerOnce = false;
  pasteText(event.clipboardData?.getData("text/plain") ?? "", outer);
}

/** From a menu, where there is no event of the clipboard. */
export async function copySelected(isCut: boolean): Promise<void> {
  const clipping = selectedClipping();
  if (!clipping) return;
  const text = JSON.stringify(clipping, null, 2);
  keep(text);
  const isRefused = await navigator.clipboard.writeText(text).then(
    () => false,
    () => true,
  );
  if (isCut) removeSelected();
  told(clipping, `${isCut ? "cut" : "copied"}${isRefused ? ", for the plans of this browser" : ""}`);
}

/** What is in the clipboard; where the browser does not say, what was last copied here. */
export async function pasteFromMenu(outer: boolean): Promise<void> {
  const text = await navigator.clipboard.readText().catch(kept);
  if (text !== null) return pasteText(text, outer);
  const words = "The browser does not let a page read the clipboard; press Ctrl V instead.";
  set({ notice: { tone: "bad", text: words } });
}

/** Listen to the clipboard; the answer ends it. */
export function listenToClipboard(): () => void {
  const events = [
    ["copy", onCopy],
    ["cut", onCopy],
    ["paste", onPaste],
  ] as const;
  for (const [name, listen] of events) window.document.addEventListener(name, listen);
  return () => {
    for (const [name, listen] of events) window.document.removeEventListener(name, listen);
  };
}
