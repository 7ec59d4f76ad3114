/** Named actions that open something or give the keyboard to it. */
import type { Box } from "../../core/graph/align";
import { COMMENT_SIZE, commentsOf } from "../../core/graph/drawing";
import type { Position } from "../../core/graph/position";
import { COMMENT, GROUP, NODE_WIDTH, numberOf, roomyHeight, sizeOfNode } from "../../core/graph/geometry";
import type { Spot } from "../../core/graph/insert";
import { GAP } from "../../core/graph/places";
import { findFreePosition } from "../../core/graph/freePosition";
import { selectedNodes } from "./selectionActions";
import { setOverlay, type QuickAdd } from "./overlay";
import { documentOf, get } from "./store";
import { boxesOf, boxOf, findInsertionPoint, onGrid, screenAt } from "./view";

/** Offer the operators that fit at a spot, at the mouse or in the middle. */
export function offerOperators(
  spot: Spot,
  place: Pick<QuickAdd, "at" | "screen"> = findInsertionPoint(),
): void {
  setOverlay({ quick: { ...place, spot }, open: null, wiring: null });
}

/** Offer what can read the selected node, right of it. */
export function offerReaders(): void {
  const [name] = selectedNodes();
  const box = name === undefined ? null : boxOf(get(), name);
  if (name === undefined || !box) return;
  const at: [number, number] = [box.x + box.width + 96, box.y];
  offerOperators({ from: name }, { at, screen: screenAt([box.x + box.width + 24, box.y]) });
}

/** Where a node is put so that its middle is at a place. */
export function centreAt([x, y]: readonly [number, number], operator: string): [number, number] {
  const [width, height] = sizeOfNode({ op: operator }, get().operators);
  return [x - width / 2, y - height / 2];
}

/**
 * Where a new node is put that somebody did not drop at a place of their own: there, or beside what lies there, with room
 * for what it says while it runs.
 */
export function spotFor(at: readonly [number, number], operator: string): Position {
  const high = roomyHeight({ op: operator }, get().operators);
  return onGrid(findFreePosition(everything(), [NODE_WIDTH, high], centreAt(at, operator)));
}

/** Where a node is put that was dropped: there, or so far aside that wires can be seen between it and what is there. */
export function spotBeside(at: Position, operator: string): Position {
  const document = documentOf(get());
  const boxes = boxesOf(get(), Object.keys(document.nodes));
  return findFreePosition(boxes, sizeOfNode({ op: operator }, get().operators), at);
}

/** Where a comment is put. */
export function spotForComment(at: Position): Position {
  return onGrid(findFreePosition(everything(), COMMENT_SIZE, at, GAP));
}

/** Nodes as high as they are while they run, and comments. */
function everything(): Box[] {
  const document = documentOf(get());
  const nodes = boxesOf(get(), Object.keys(document.nodes)).map((box) => ({
    ...box,
    height: Math.max(box.height, roomyHeight(document.nodes[box.id], get().operators)),
  }));
  const comments = commentsOf(document).map((_, i) => `${COMMENT}${i}`);
  return [...nodes, ...boxesOf(get(), comments)];
}

/** The first field that sets the selected node up; where there is none, its name. */
export function focusFirstField(): void {
  const [id] = get().selected;
  if (id !== undefined && numberOf(id, COMMENT) !== null) return setOverlay({ editing: id });
  const panel = document.querySelector(".inspector");
  const fields = panel?.querySelectorAll<HTMLElement>(":is(input, select, textarea):enabled");
  const first = [...(fields ?? [])].find((field) => field.dataset.testid !== "node-name") ?? fields?.[0];
  first?.focus();
}

/** Give the keyboard to the field of a parameter, port or stream, where the inspector has one. */
export function focusField(name: string): void {
  window.requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>(`.inspector [data-field="${CSS.escape(name)}"]`);
    const focusable = field?.querySelector<HTMLElement>("input, select, textarea") ?? field;
    focusable?.focus();
  });
}

export function renameSelected(): void {
  const [id] = get().selected;
  if (id !== undefined && numberOf(id, GROUP) !== null) return setOverlay({ editing: id });
  const [name] = selectedNodes();
  if (name === undefined || !(name in documentOf(get()).nodes)) return;
  const field = document.querySelector<HTMLInputElement>('.inspector [data-testid="node-name"]');
  field?.focus();
  field?.select();
}

export function searchOperators(): void {
  document.querySelector<HTMLInputElement>(".palette input[type=search]")?.focus();
}

export function renamePlanByHand(): void {
  const field = document.querySelector<HTMLInputElement>(".plan-name");
  field?.focus();
  field?.select();
}
