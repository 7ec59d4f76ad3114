/** The free place nearest to a wanted one: what is added by keyboard covers nothing that is there. */
import type { Box } from "./align";
import type { Position } from "./edit";

const GAP = 24;
const STEP = 32;
const FARTHEST = 60;

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

export function freeSpot(boxes: readonly Omit<Box, "id">[], size: Position, at: Position): Position {
  const [width, height] = size;
  const isFree = ([x, y]: Position): boolean =>
    boxes.every(
      (box) =>
        x + width + GAP <= box.x ||
        box.x + box.width + GAP <= x ||
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
