/**
 * How much of what a running node says has room between it and what lies below: nothing that a person placed is moved for
 * it, and nothing is covered. Pure.
 */
import type { Operator, PlanDocument } from "../api/types";
import type { Box } from "./align";
import { commentsOf, groupsOf, sizeOf } from "./drawing";
import type { Position } from "./position";
import { placeComments, FRAME_TOP, LINE, sizeOfNode, STATUS, STRIP } from "./geometry";

/** What is below each other is at least so far apart. */
const GAP = 8;
/** Boxes are looked up by columns as wide as this. */
const COLUMN = 512;

/** Of a running node: whether the strip of its timeline is shown, and how many lines of its status. */
export interface Fit {
  strip: boolean;
  lines: number;
}

const linesIn = (room: number): number => Math.max(0, Math.floor((room - STATUS) / LINE));

/** The status goes before the strip: without one nobody knows how the node is. */
export function selectFit(room: number): Fit {
  const lines = linesIn(room - STRIP);
  if (lines > 0) return { strip: true, lines };
  return { strip: false, lines: linesIn(room) };
}

const columnsOf = ({ x, width }: Box): number[] => {
  const first = Math.floor(x / COLUMN);
  return Array.from({ length: Math.floor((x + width) / COLUMN) - first + 1 }, (_, i) => first + i);
};

function byColumn(boxes: readonly Box[]): Map<number, Box[]> {
  const columns = new Map<number, Box[]>();
  for (const box of boxes)
    for (const column of columnsOf(box)) {
      const held = columns.get(column);
      if (held) held.push(box);
      else columns.set(column, [box]);
    }
  return columns;
}

/** Below each of `cards`, how much is free until the first of `others` that begins no higher than it does. */
function roomBelow(cards: readonly Box[], others: (card: Box) => readonly Box[]): Map<string, number> {
  const isBelow = (a: Box, b: Box): boolean =>
    a.x < b.x + b.width && b.x < a.x + a.width && b.y >= a.y && a.id !== b.id;
  return new Map(
    cards.map((card) => {
      const first = Math.min(...others(card).flatMap((box) => (isBelow(card, box) ? [box.y] : [])));
      return [card.id, Math.max(0, first - GAP - card.y - card.height)];
    }),
  );
}

/** The titles of the frames around groups. */
function titles(document: PlanDocument, cards: ReadonlyMap<string, Box>): { box: Box; of: Set<string> }[] {
  return groupsOf(document).flatMap((group, i) => {
    const held = group.nodes.flatMap((name) => cards.get(name) ?? []);
    if (held.length === 0) return [];
    const left = Math.min(...held.map((box) => box.x));
    const width = Math.max(...held.map((box) => box.x + box.width)) - left;
    const top = Math.min(...held.map((box) => box.y)) - FRAME_TOP;
    return [
      { box: { id: `group:${i}`, x: left, y: top, width, height: FRAME_TOP }, of: new Set(group.nodes) },
    ];
  });
}

/** For each node, how much is free below it: until another node, a comment, or the title of a group that it is not in. */
export function measureFreeSpace(
  document: PlanDocument,
  places: Readonly<Record<string, Position>>,
  operators: ReadonlyMap<string, Operator>,
): ReadonlyMap<string, number> {
  const cards = Object.entries(document.nodes).flatMap(([id, node]): Box[] => {
    const [at, [width, height]] = [places[id], sizeOfNode(node, operators)];
    return at ? [{ id, x: at[0], y: at[1], width, height }] : [];
  });
  const notes = placeComments(document, places).map(([x, y], i): Box => {
    const [width, height] = sizeOf(commentsOf(document)[i] ?? "");
    return { id: `comment:${i}`, x, y, width, height };
  });
  const frames = titles(document, new Map(cards.map((card) => [card.id, card])));
  const columns = byColumn([...cards, ...notes]);
  return roomBelow(cards, (card) => [
    ...columnsOf(card).flatMap((column) => columns.get(column) ?? []),
    ...frames.flatMap(({ box, of }) => (of.has(card.id) ? [] : [box])),
  ]);
}
