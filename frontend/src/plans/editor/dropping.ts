/** Dropping things on wires: which wire lies under the mouse, and whether what is dragged fits into it. */
import type { PlanDocument } from "../../core/api/types";
import { listWires, listWiresInto, type Wire } from "../../core/graph/document";
import { addAt, insertIntoWire } from "../../core/graph/insert";
import { memoizeLast } from "../../core/graph/memo";
import { collectDownstream } from "../../core/graph/walk";
import { wireId } from "./overlay";
import { documentOf, get } from "./store";

export const DRAGGED_OPERATOR = "application/x-timeline-operator";

const wiresById = memoizeLast(
  (nodes: PlanDocument["nodes"]) =>
    new Map(listWires({ version: 1, name: "", nodes }).map((wire) => [wireId(wire), wire])),
);

export function wireOf(id: string): Wire | null {
  return wiresById(documentOf(get()).nodes).get(id) ?? null;
}

function wireUnder(at: { x: number; y: number }): Wire | null {
  for (const element of window.document.elementsFromPoint(at.x, at.y)) {
    const id = element.closest(".react-flow__edge")?.getAttribute("data-id");
    const wire = id ? wireOf(id) : null;
    if (wire) return wire;
  }
  return null;
}

/** The wire under the mouse, if the operator fits into it. */
export function wireForOperator(at: { x: number; y: number }, operatorName: string): Wire | null {
  const wire = wireUnder(at);
  const operator = get().operators.get(operatorName);
  if (!wire || !operator) return null;
  const stream = [...get().streams.keys()][0];
  return addAt(documentOf(get()), operator, [0, 0], wire, get(), stream) && wire;
}

/** The wire under the mouse, if the node is free and fits into it. */
export function wireForNode(at: { x: number; y: number }, name: string): Wire | null {
  const document = documentOf(get());
  const node = document.nodes[name];
  if (!node || listWiresInto(name, node).length > 0 || collectDownstream(document.nodes, name).size > 1)
    return null;
  const wire = wireUnder(at);
  return wire && insertIntoWire(document, name, wire, get()) && wire;
}
