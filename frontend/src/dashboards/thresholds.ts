/** A line in the colours of its thresholds. Pure. */
import { thresholdOf, type ColourName, type Display } from "../timechart/display";
import type { Vertex } from "../timechart/thin";

/** A part of a line that has one colour; where it is interrupted there is a vertex without a value. */
export interface ColouredLine {
  readonly colour: ColourName | null;
  readonly line: Vertex[];
}

type Point = Vertex & { y: number };

/** The points at which a segment passes thresholds, its ends among them. */
function pointsOf(a: Point, b: Point, { thresholds = [] }: Display): Point[] {
  const shares = thresholds.map(({ start }) => (start - a.y) / (b.y - a.y));
  const inside = shares.filter((share) => share > 0 && share < 1).toSorted((x, y) => x - y);
  const between = inside.map((share) => ({ x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share }));
  return [a, ...between, b];
}

/** The line as one part for each colour, the parts of a colour after each other with a gap between. */
export function splitAtThresholds(line: readonly Vertex[], display: Display): ColouredLine[] {
  if ((display.thresholds ?? []).length === 0) return [{ colour: null, line: [...line] }];
  const parts = new Map<ColourName | null, Vertex[]>();
  const add = (from: Point, to: Point): void => {
    const colour = thresholdOf((from.y + to.y) / 2, display);
    const part = parts.get(colour) ?? [];
    parts.set(colour, part);
    const last = part.at(-1);
    if (last?.x === from.x && last.y === from.y) part.push(to);
    else part.push(...(last ? [{ x: from.x, y: null }] : []), from, to);
  };
  line.slice(1).forEach((b, i) => {
    const a = line[i];
    if (a?.y == null || b.y === null) return;
    const points = pointsOf(a as Point, b as Point, display);
    points.slice(1).forEach((to, j) => add(points[j] ?? to, to));
  });
  return [...parts].map(([colour, part]) => ({ colour, line: part }));
}
