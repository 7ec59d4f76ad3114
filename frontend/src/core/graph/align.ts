/** Aligning and distributing what is selected, by its boxes. */
import type { Position } from "./position";

export interface Box {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Edge = "left" | "right" | "top" | "bottom" | "centre" | "middle";
export type Axis = "across" | "down";

const least = (boxes: readonly Box[], of: (box: Box) => number) => Math.min(...boxes.map(of));
const most = (boxes: readonly Box[], of: (box: Box) => number) => Math.max(...boxes.map(of));

function aligned(boxes: readonly Box[], edge: Edge): (box: Box) => Position {
  const left = least(boxes, (box) => box.x);
  const right = most(boxes, (box) => box.x + box.width);
  const top = least(boxes, (box) => box.y);
  const bottom = most(boxes, (box) => box.y + box.height);
  const places: Readonly<Record<Edge, (box: Box) => Position>> = {
    left: (box) => [left, box.y],
    right: (box) => [right - box.width, box.y],
    centre: (box) => [(left + right - box.width) / 2, box.y],
    top: (box) => [box.x, top],
    bottom: (box) => [box.x, bottom - box.height],
    middle: (box) => [box.x, (top + bottom - box.height) / 2],
  };
  return places[edge];
}

/** New places so that the boxes share an edge, or the line through their middles. */
export function align(boxes: readonly Box[], edge: Edge): Record<string, Position> {
  const place = aligned(boxes, edge);
  return Object.fromEntries(boxes.map((box) => [box.id, place(box)]));
}

/** New places so that the gaps between neighbours are equal; the outermost two stay. */
export function distribute(boxes: readonly Box[], axis: Axis): Record<string, Position> {
  const start = (box: Box): number => (axis === "across" ? box.x : box.y);
  const length = (box: Box): number => (axis === "across" ? box.width : box.height);
  const sorted = boxes.toSorted((a, b) => start(a) - start(b));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last || sorted.length < 3) return {};
  const room = start(last) + length(last) - start(first);
  const gap = (room - sorted.reduce((sum, box) => sum + length(box), 0)) / (sorted.length - 1);
  let at = start(first);
  return Object.fromEntries(
    sorted.map((box): [string, Position] => {
      const place: Position = axis === "across" ? [at, box.y] : [box.x, at];
      at += length(box) + gap;
      return [box.id, place];
    }),
  );
}
