/** Where the canvas looks when a plan is opened. Pure. */
import { getNodesBounds, getViewportForBounds, type Node, type Viewport } from "@xyflow/react";
import { NODE_WIDTH } from "../../core/graph/geometry";
import { FIT, LEAST, TOOLS } from "./fit";

/** The smallest type on a node has twelve pixels; eleven of them can be read. */
export const READABLE = 11 / 12;
/** From far away names are larger (nodes.css): below `READABLE` of 20 pixels, below this of 32. */
const FAR = 11 / 20;
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

/** All of it where all that its nodes say can be read so; else as small as that can be read, from its beginning. */
export function opening(nodes: readonly Node[], size: Size): Viewport {
  const { width, height } = size;
  const all = getNodesBounds([...nodes]);
  const viewport = getViewportForBounds(all, width, height, LEAST, FIT.maxZoom, FIT.padding);
  const first = firstOf(nodes);
  if (viewport.zoom >= READABLE || first.length === 0) return viewport;
  const begin = getNodesBounds(first);
  const fits = (box: Size): boolean => box.height * READABLE <= height - 2 * ABOVE;
  const seen = fits(all) ? all : begin;
  const above = fits(seen) ? (height - seen.height * READABLE) / 2 : ABOVE;
  return { x: TOOLS - begin.x * READABLE, y: above - seen.y * READABLE, zoom: READABLE };
}
