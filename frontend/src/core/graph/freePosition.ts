/** The free place nearest to a wanted one: what is added covers nothing that is there, and its wires can be seen. */
import type { Box } from "./align";
import type { Position } from "./position";
import { GAP, WIRE_GAP } from "./places";

const STEP = 16;
const FARTHEST = 120;

function ring(r: number): Position[] {
  if (r === 0) return [[0, 0]];
  const side = Array.from({ length: 2 * r + 1 }, (_, i) => i - r);
  const points = side.flatMap((i): Position[] => [
    [r, i],
    [-r, i],
    [i, r],
    [i, -r],
  ]);
  // To the right and below first, where one goes on reading.
  return points.toSorted(([a, b], [c, d]) => Math.hypot(a, b) - Math.hypot(c, d) || c - a || d - b);
}

/** `across`: what is left free at its sides. */
export function findFreePosition(
  boxes: readonly Omit<Box, "id">[],
  size: Position,
  at: Position,
  across = WIRE_GAP,
): Position {
  const [width, height] = size;
  const isFree = ([x, y]: Position): boolean =>
    boxes.every(
      (box) =>
        x + width + across <= box.x ||
        box.x + box.width + across <= x ||
        y + height + GAP <= box.y ||
        box.y + box.height + GAP <= y,
    );
  for (let r = 0; r <= FARTHEST; r += 1)
    for (const [dx, dy] of ring(r)) {
      const place: Position = [at[0] + dx * STEP, at[1] + dy * STEP];
      if (isFree(place)) return place;
    }
  return at;
}
