/** The window through which the canvas is seen: where it looks, and where things lie in it. */
import type { ReactFlowInstance } from "@xyflow/react";
import type { PlanDocument } from "../../core/api/types";
import { computePositions } from "../../core/graph/arrange";
import type { Box } from "../../core/graph/align";
import { commentsOf, groupsOf, sizeOf } from "../../core/graph/drawing";
import type { Position } from "../../core/graph/position";
import {
  COMMENT,
  placeComments,
  frameOf,
  GRID,
  GROUP,
  numberOf,
  sizeOfNode,
} from "../../core/graph/geometry";
import { memoizeLast } from "../../core/graph/memo";
import { selectFit, measureFreeSpace, type Fit } from "../../core/graph/freeSpace";
import { FIT } from "./fit";
import { documentOf, get, type StudioState } from "./store";

const GLIDE = { duration: 200 };

let flow: ReactFlowInstance | null = null;
let pointer: { x: number; y: number } | null = null;

export function setFlow(instance: ReactFlowInstance | null): void {
  flow = instance;
}

/** Where the mouse is over the canvas; null while it is elsewhere. */
export function setPointer(place: { x: number; y: number } | null): void {
  pointer = place;
}

const placesIn = memoizeLast(computePositions);
const commentsAt = memoizeLast(placeComments);
const roomsIn = memoizeLast(measureFreeSpace);

export function placesOf(document: PlanDocument): Record<string, Position> {
  return placesIn(document, get().operators);
}

/** How much is free below each node. */
export function roomsOf(state: StudioState): ReadonlyMap<string, number> {
  const document = documentOf(state);
  return roomsIn(document, placesOf(document), state.operators);
}

/** What a node may say below its ports, so that it covers nothing. */
export function fitOf(state: StudioState, name: string): Fit {
  return selectFit(roomsOf(state).get(name) ?? Infinity);
}

export function placesOfComments(state: StudioState): readonly Position[] {
  const document = documentOf(state);
  return commentsAt(document, placesOf(document));
}

/** The box of a node, group or comment as it is drawn. */
export function boxOf(state: StudioState, id: string): Box | null {
  const document = documentOf(state);
  const comment = numberOf(id, COMMENT);
  if (comment !== null) {
    const [held, at] = [commentsOf(document)[comment], placesOfComments(state)[comment]];
    if (held === undefined || !at) return null;
    const [width, height] = sizeOf(held);
    return { id, x: at[0], y: at[1], width, height };
  }
  const group = numberOf(id, GROUP);
  if (group !== null) {
    const frame = frameOf(boxesOf(state, groupsOf(document)[group]?.nodes ?? []));
    return frame && { id, ...frame };
  }
  const node = document.nodes[id];
  const at = placesOf(document)[id];
  if (!node || !at) return null;
  const measured = flow?.getInternalNode(id)?.measured;
  const [width, height] = sizeOfNode(node, state.operators);
  return { id, x: at[0], y: at[1], width: measured?.width ?? width, height: measured?.height ?? height };
}

export function boxesOf(state: StudioState, ids: readonly string[]): Box[] {
  return ids.flatMap((id) => boxOf(state, id) ?? []);
}

function middleOfCanvas(): { x: number; y: number } {
  const box = window.document.querySelector(".canvas")?.getBoundingClientRect();
  return box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : { x: 0, y: 0 };
}

export function toCanvas(screen: { x: number; y: number }): Position {
  const { x, y } = flow?.screenToFlowPosition(screen) ?? { x: 0, y: 0 };
  return [x, y];
}

export function screenAt([x, y]: Position): { x: number; y: number } {
  return flow?.flowToScreenPosition({ x, y }) ?? { x: 0, y: 0 };
}

/** Where something new belongs: at the mouse, else in the middle of what is seen. */
export function findInsertionPoint(): { at: Position; screen: { x: number; y: number } } {
  if (!flow) return { at: [0, 0], screen: { x: 0, y: 0 } };
  const screen = pointer ?? middleOfCanvas();
  return { at: toCanvas(screen), screen };
}

export function onGrid([x, y]: Position): Position {
  // Plus zero: -0 would be another place than 0 once it has been written.
  return [Math.round(x / GRID) * GRID + 0, Math.round(y / GRID) * GRID + 0];
}

export function zoomToFit(ids: readonly string[] = []): void {
  if (!flow) return;
  // What was changed just before is drawn first.
  window.requestAnimationFrame(() => fit(ids));
}

function fit(ids: readonly string[]): void {
  void flow?.fitView({ ...FIT, ...GLIDE, ...(ids.length > 0 ? { nodes: ids.map((id) => ({ id })) } : {}) });
}

export function zoomToSelection(): void {
  const { selected } = get();
  zoomToFit(selected);
}

export function zoomBy(factor: number): void {
  if (flow) void flow.zoomTo(flow.getZoom() * factor, GLIDE);
}

export function zoomToFullSize(): void {
  void flow?.zoomTo(1, GLIDE);
}

/** Bring a node into view without changing how large it is, unless that is too small to read. */
export function bringIntoView(id: string): void {
  const box = boxOf(get(), id);
  if (!box || !flow) return;
  const zoom = Math.max(flow.getZoom(), 0.75);
  void flow.setCenter(box.x + box.width / 2, box.y + box.height / 2, { ...GLIDE, zoom: Math.min(zoom, 1) });
}

let wanted = 0;
const PATIENCE = 30;

/** Whether the keyboard has gone into a field that did not have it before: somebody types, and keeps it. */
function isTaken(before: Element | null): boolean {
  const { activeElement } = window.document;
  const types = activeElement?.matches("input, textarea, select, [contenteditable]") ?? false;
  return types && activeElement !== before;
}

/** Give the keyboard to a node on the canvas, as soon as it is drawn. `reveal` brings it into view. */
export function focusNode(id: string): void {
  wanted += 1;
  const turn = wanted;
  const before = window.document.activeElement;
  const attempt = (left: number): void => {
    if (turn !== wanted || isTaken(before)) return;
    const selector = `.react-flow__node[data-id="${CSS.escape(id)}"]`;
    const element = window.document.querySelector<HTMLElement>(selector);
    if (element) element.focus({ preventScroll: true });
    else if (left > 0) window.requestAnimationFrame(() => attempt(left - 1));
  };
  // Not a frame later: the next key may come before it, and is meant for the node.
  queueMicrotask(() => attempt(PATIENCE));
}

/** Whether a node that is drawn lies outside of what is seen, wholly or in part. */
function isHidden(id: string): boolean {
  const [box, canvas] = [boxOf(get(), id), window.document.querySelector(".canvas")?.getBoundingClientRect()];
  if (!box || !canvas || !flow) return false;
  const from = screenAt([box.x, box.y]);
  const to = screenAt([box.x + box.width, box.y + box.height]);
  return from.x < canvas.left || from.y < canvas.top || to.x > canvas.right || to.y > canvas.bottom;
}

/** Bring into view what lies outside of it; what is seen stays where it is. */
export function reveal(id: string): void {
  if (isHidden(id)) bringIntoView(id);
}

/** The same of several, together. */
export function revealAll(ids: readonly string[]): void {
  if (ids.some(isHidden)) zoomToFit(ids);
}
