/** Ways through the graph: what lies above and below nodes, and who is nearest in a direction. */
import type { PlanDocument } from "../api/types";
import { listWires } from "./document";
import type { Position } from "./position";
import { memoizeLast } from "./memo";

interface Links {
  up: ReadonlyMap<string, readonly string[]>;
  down: ReadonlyMap<string, readonly string[]>;
}

const linksOf = memoizeLast((nodes: PlanDocument["nodes"]): Links => {
  const up = new Map<string, string[]>();
  const down = new Map<string, string[]>();
  const add = (links: Map<string, string[]>, a: string, b: string) => {
    const held = links.get(a);
    if (held) held.push(b);
    else links.set(a, [b]);
  };
  for (const { from, to } of listWires({ version: 1, name: "", nodes })) {
    if (!(from in nodes)) continue;
    add(up, to, from);
    add(down, from, to);
  }
  return { up, down };
});

function closure(links: ReadonlyMap<string, readonly string[]>, names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...(links.get(name) ?? []));
  }
  return found;
}

/** These nodes and all that they read, near and far. */
export const collectUpstream = memoizeLast(
  (nodes: PlanDocument["nodes"], ...names: string[]): ReadonlySet<string> =>
    closure(linksOf(nodes).up, names),
);

/** These nodes and all that read them, near and far. */
export const collectDownstream = memoizeLast(
  (nodes: PlanDocument["nodes"], ...names: string[]): ReadonlySet<string> =>
    closure(linksOf(nodes).down, names),
);

export type Direction = "left" | "right" | "up" | "down";

const AHEAD: Readonly<Record<Direction, Position>> = {
  left: [-1, 0],
  right: [1, 0],
  up: [0, -1],
  down: [0, 1],
};

/** The nearest node in this direction: left and right along the wires where there are any. */
export function findNeighbour(
  document: PlanDocument,
  places: Readonly<Record<string, Position>>,
  name: string,
  direction: Direction,
): string | null {
  const here = places[name];
  if (!here) return null;
  const { up, down } = linksOf(document.nodes);
  const wired = (direction === "left" ? up : direction === "right" ? down : null)?.get(name) ?? [];
  const ahead = (other: string): number => {
    const [x, y] = places[other] ?? here;
    return (x - here[0]) * AHEAD[direction][0] + (y - here[1]) * AHEAD[direction][1];
  };
  const cost = (other: string): number => {
    const [x, y] = places[other] ?? here;
    const far = Math.abs(x - here[0]) + Math.abs(y - here[1]);
    return 2 * far - ahead(other);
  };
  const near = wired.length > 0 ? wired : Object.keys(document.nodes).filter((other) => ahead(other) > 0);
  return near.toSorted((a, b) => cost(a) - cost(b))[0] ?? null;
}
