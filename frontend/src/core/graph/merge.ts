/** Adding a whole plan to another: its nodes beside those that are there, under new names where theirs are taken. */
import type { Operator, PlanDocument } from "../api/types";
import { computePositions } from "./arrange";
import { cornerOf, paste } from "./clip";
import type { Position } from "./position";
import { sizeOfNode } from "./geometry";

export interface Merged {
  document: PlanDocument;
  /** The name of every added node here, by its name there. */
  names: ReadonlyMap<string, string>;
}

const GAP = 96;

/** Below what is there, at its left edge. */
function offset(
  document: PlanDocument,
  added: PlanDocument,
  operators: ReadonlyMap<string, Operator>,
): Position {
  const held = Object.entries(computePositions(document, operators));
  if (held.length === 0) return [0, 0];
  const left = Math.min(...held.map(([, [x]]) => x));
  const bottom = Math.max(
    ...held.map(([name, [, y]]) => {
      const node = document.nodes[name];
      return y + (node ? sizeOfNode(node, operators)[1] : 0);
    }),
  );
  const [x, y] = cornerOf(added);
  return [left - x, bottom + GAP - y];
}

export function merge(
  document: PlanDocument,
  incoming: PlanDocument,
  operators: ReadonlyMap<string, Operator>,
): Merged {
  const added = { ...incoming, layout: computePositions(incoming, operators) };
  const pasted = paste(document, added, offset(document, added, operators), false);
  const names = new Map(Object.keys(added.nodes).map((old, i) => [old, pasted.names[i] ?? old]));
  const results = (incoming.results ?? []).flatMap((name) => names.get(name) ?? []);
  return {
    document: {
      ...pasted.document,
      results: [...new Set([...(pasted.document.results ?? []), ...results])],
    },
    names,
  };
}
