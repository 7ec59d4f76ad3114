/** How a wire goes: straight to its port, or, where a node lies in between, along a free lane around it. */
import type { Operator, PlanDocument } from "../api/types";
import type { Box } from "./align";
import { listWires, type Wire } from "./document";
import type { Position } from "./position";
import { NODE_WIDTH, portHeight, sizeOfNode } from "./geometry";

/** The height of the lane, and where it is entered and left. */
export interface Lane {
  y: number;
  from: number;
  to: number;
}

const SAMPLES = 24;
const MARGIN = 4;
/** So wide is the turn from a port into a lane: it fits between two columns of a layout. */
export const TURN = 72;
const CLEAR = [16, 24, 32, 40];
/** Wires in one lane are so far apart. */
const APART = 8;

type Curve = readonly [Position, Position, Position, Position];

function at([p, q, r, s]: Curve, t: number): Position {
  const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t), t ** 3];
  return [a * p[0] + b * q[0] + c * r[0] + d * s[0], a * p[1] + b * q[1] + c * r[1] + d * s[1]];
}

/** From one place to another, level at both ends; where it leads backwards, with a bow as React Flow draws it. */
function level([x, y]: Position, [a, b]: Position): Curve {
  const bow = a >= x ? (a - x) / 2 : 6.25 * Math.sqrt(x - a);
  return [
    [x, y],
    [x + bow, y],
    [a - bow, b],
    [a, b],
  ];
}

const points = (curve: Curve): Position[] =>
  Array.from({ length: SAMPLES + 1 }, (_, i) => at(curve, i / SAMPLES));

const turns = (start: Position, end: Position, lane: Lane): [Curve, Curve] => [
  level(start, [lane.from, lane.y]),
  level([lane.to, lane.y], end),
];

interface Field {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const fieldOf = (box: Box): Field => ({
  left: box.x + MARGIN,
  right: box.x + box.width - MARGIN,
  top: box.y + MARGIN,
  bottom: box.y + box.height - MARGIN,
});

function touches([x, y]: Position, [a, b]: Position, field: Field): boolean {
  return (
    (x > field.left || a > field.left) &&
    (x < field.right || a < field.right) &&
    (y > field.top || b > field.top) &&
    (y < field.bottom || b < field.bottom)
  );
}

/** How many fields lie on the way along this curve. A level one stays between the heights of its ends. */
function hits(curve: Curve, fields: readonly Field[]): number {
  const [start, , , end] = curve;
  const near = fields.filter((field) => touches(start, end, field));
  if (near.length === 0) return 0;
  const places = points(curve);
  return near.filter((field) => places.some((place, i) => touches(place, places[i + 1] ?? place, field)))
    .length;
}

function hitsThrough(start: Position, end: Position, lane: Lane, fields: readonly Field[]): number {
  const middle = fields.filter((field) => touches([lane.from, lane.y], [lane.to, lane.y], field)).length;
  const [into, out] = turns(start, end, lane);
  return middle > 0 ? middle + 1 : hits(into, fields) + hits(out, fields);
}

/** The lane for a wire between two ports, or null where it goes straight, or could not go better. */
export function findWireLane(
  start: Position,
  end: Position,
  boxes: readonly Box[],
  lanes: readonly Lane[],
): Lane | null {
  const isInTheWay = boxes.some(
    (box) =>
      box.x < end[0] &&
      box.x + box.width > start[0] &&
      box.y < Math.max(start[1], end[1]) &&
      box.y + box.height > Math.min(start[1], end[1]),
  );
  if (!isInTheWay || end[0] - start[0] < 2 * TURN) return null;
  const between = boxes.filter((box) => box.x < end[0] && box.x + box.width > start[0]);
  const fields = between.map(fieldOf);
  const straight = hits(level(start, end), fields);
  if (straight === 0) return null;
  const [from, to] = [start[0] + TURN, end[0] - TURN];
  const rivals = lanes.filter((lane) => lane.from < to && lane.to > from);
  const far = (y: number): number => Math.abs(y - start[1]) + Math.abs(y - end[1]);
  const offered = between.flatMap((box) =>
    CLEAR.flatMap((clear) => [box.y - clear, box.y + box.height + clear]),
  );
  const heights = [...new Set(offered)]
    .filter((y) => rivals.every((lane) => Math.abs(lane.y - y) >= APART))
    .toSorted((a, b) => far(a) - far(b));
  let best: [Lane | null, number] = [null, straight];
  for (const y of heights) {
    const lane = { y, from, to };
    const count = hitsThrough(start, end, lane, fields);
    if (count < best[1]) best = [lane, count];
    if (count === 0) break;
  }
  return best[0];
}

interface Drawn {
  document: PlanDocument;
  places: Readonly<Record<string, Position>>;
  operators: ReadonlyMap<string, Operator>;
  /** What a node has below its ports. */
  more: (name: string) => number;
}

/** The lanes of all wires that cannot go straight, under the names that `id` gives them. */
export function findWireLanes(
  { document, places, operators, more }: Drawn,
  id: (wire: Wire) => string,
): Map<string, Lane> {
  const boxes = Object.entries(document.nodes).flatMap(([name, node]): Box[] => {
    const [place, [width, height]] = [places[name], sizeOfNode(node, operators)];
    return place ? [{ id: name, x: place[0], y: place[1], width, height: height + more(name) }] : [];
  });
  const found = new Map<string, Lane>();
  for (const wire of listWires(document)) {
    const [from, to] = [places[wire.from], places[wire.to]];
    if (!from || !to) continue;
    const inputs = operators.get(document.nodes[wire.to]?.op ?? "")?.inputs ?? [];
    const port = Math.max(
      0,
      inputs.findIndex(({ name }) => name === wire.port),
    );
    const start: Position = [from[0] + NODE_WIDTH, from[1] + portHeight(0)];
    const end: Position = [to[0], to[1] + portHeight(port)];
    const [left, right] = [start[0], end[0]];
    const others = boxes.filter(
      ({ id: name, x, width }) => x < right && x + width > left && name !== wire.from && name !== wire.to,
    );
    const lane = findWireLane(start, end, others, [...found.values()]);
    if (lane) found.set(id(wire), lane);
  }
  return found;
}

const spell = ([, q, r, s]: Curve): string => `C${q.join()} ${r.join()} ${s.join()}`;

/** The path of a wire through its lane. */
export function buildWirePath(start: Position, end: Position, lane: Lane): string {
  const [into, out] = turns(start, end, lane);
  return `M${start.join()} ${spell(into)} L${lane.to},${lane.y} ${spell(out)}`;
}
