/** Room for a node that was put into a wire: what stands there goes aside for it, so that both of its wires are seen. Pure. */
import type { Operator, PlanDocument } from "../api/types";
import { computePositions } from "./arrange";
import type { Wire } from "./document";
import { commentsOf, moveComments, placeOf } from "./drawing";
import { moveNodes } from "./edit";
import type { Position } from "./position";
import { NODE_WIDTH, roomyHeight } from "./geometry";
import { COLUMN } from "./places";
import { omitKey } from "./records";
import { findFreePosition } from "./freePosition";

type Places = Readonly<Record<string, Position>>;

/** Where the node stands between its two ends, and how far what begins at the right one goes to the right for that. */
function between(at: number, left: number, right: number): { x: number; push: number } {
  const [first, last] = [left + COLUMN, right - COLUMN];
  return { x: Math.max(first, Math.min(at, last)), push: Math.max(0, first - last) };
}

function pushed(document: PlanDocument, places: Places, from: number, by: number): PlanDocument {
  const isMoved = ([x]: Position): boolean => x >= from;
  const nodes = Object.entries(places).flatMap(([name, at]): [string, Position][] =>
    isMoved(at) ? [[name, [at[0] + by, at[1]]]] : [],
  );
  const comments = commentsOf(document).flatMap((comment, i): [number, Position][] => {
    const at = placeOf(comment);
    return at && isMoved(at) ? [[i, [at[0] + by, at[1]]]] : [];
  });
  const after = moveNodes(document, Object.fromEntries(nodes));
  return comments.length > 0 ? moveComments(after, new Map(comments)) : after;
}

/** The plan in which `name` was put into a wire, with room around it. Where its reader does not stand right of what it reads, nothing else is moved. */
export function withRoom(
  document: PlanDocument,
  name: string,
  { from, to }: Pick<Wire, "from" | "to">,
  operators: ReadonlyMap<string, Operator>,
): PlanDocument {
  const places = computePositions(document, operators);
  const [at, left, right] = [places[name], places[from], places[to]];
  if (!at || !left || !right) return document;
  const others = omitKey(places, name) as Places;
  const isForward = right[0] >= left[0] + NODE_WIDTH;
  const { x, push } = isForward ? between(at[0], left[0], right[0]) : { x: at[0], push: 0 };
  const after = push > 0 ? pushed(document, others, right[0], push) : document;
  const boxes = Object.entries(computePositions(after, operators)).flatMap(([one, [a, b]]) => {
    const box = { x: a, y: b, width: NODE_WIDTH, height: roomyHeight(document.nodes[one], operators) };
    return one === name ? [] : [box];
  });
  const high = roomyHeight(document.nodes[name], operators);
  return moveNodes(after, { [name]: findFreePosition(boxes, [NODE_WIDTH, high], [x, at[1]]) });
}
