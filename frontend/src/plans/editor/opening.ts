/** Where the canvas looks when a plan is opened. Pure. */
import { getNodesBounds, getViewportForBounds, type Node, type Viewport } from "@xyflow/react";
import { NODE_WIDTH, RUNNING } from "../../core/graph/geometry";
import { FIT, LEAST, TOOLS } from "./fit";

/** The smallest type on a node has twelve pixels; eleven of them can be read. */
export const READABLE = 11 / 12;
/** From far away names are larger (nodes.css): below `READABLE` of 20 pixels, below this of 32. */
const FAR = 11 / 20;
/** So small the names of a plan can still be read. */
export const NAMES = 11 / 32;
/** Where all of it is to be seen no room is given away. */
const CLOSE = { top: "4px", bottom: "4px", left: FIT.padding.left, right: "16px" } as const;
/** Room above what begins higher than it can be seen. */
const ABOVE = 48;

interface Size {
  width: number;
  height: number;
}

/** How far away a plan is seen, for how large its names are drawn. */
export function distance(zoom: number): "" | "far" | "farther" {
  if (zoom >= READABLE) return "";
  return zoom >= FAR ? "far" : "farther";
}

/** The nodes that stand first, from left to right: what the plan begins with. */
function firstOf(nodes: readonly Node[]): Node[] {
  const drawn = nodes.filter(({ type }) => type === "operator");
  const left = Math.min(...drawn.map(({ position }) => position.x));
  return drawn.filter(({ position }) => position.x < left + NODE_WIDTH);
}

/** A node as high as it is with all that it says while it runs, which is not drawn yet. */
function running(node: Node): Node {
  const { type, measured } = node;
  if (type !== "operator") return node;
  return { ...node, measured: { ...measured, height: (measured?.height ?? 0) + RUNNING } };
}

/** All of it, or all of its nodes, so large that at least their names can be read; null where there is too much of it. */
function names(nodes: readonly Node[], { width, height }: Size): Viewport | null {
  const all = nodes.map(running);
  const drawn = all.filter(({ type }) => type !== "comment");
  const seen = [all, drawn].map((some) =>
    getViewportForBounds(getNodesBounds([...some]), width, height, LEAST, READABLE, CLOSE),
  );
  return seen.find(({ zoom }) => zoom >= NAMES) ?? null;
}

/** All of it where it can be read so; else where its names can; else as small as can be read, from its beginning. */
export function opening(nodes: readonly Node[], size: Size): Viewport {
  const { width, height } = size;
  const all = getNodesBounds([...nodes]);
  const whole = getViewportForBounds(all, width, height, LEAST, FIT.maxZoom, FIT.padding);
  const first = firstOf(nodes);
  if (whole.zoom >= READABLE || first.length === 0) return whole;
  const named = names(nodes, size);
  if (named) return named;
  const begin = getNodesBounds(first);
  const fits = (box: Size): boolean => box.height * READABLE <= height - 2 * ABOVE;
  const seen = fits(all) ? all : begin;
  const above = fits(seen) ? (height - seen.height * READABLE) / 2 : ABOVE;
  return { x: TOOLS - begin.x * READABLE, y: above - seen.y * READABLE, zoom: READABLE };
}
