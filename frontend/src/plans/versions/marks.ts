/** Two versions on one canvas: which nodes and wires were added, removed, changed, rewired, renamed or moved. */
import type { PlanDocument } from "../../core/api/document";
import type { Operator } from "../../core/api/types";
import type { Compared, Did } from "../../core/api/versions";
import { computePositions } from "../../core/graph/arrange";
import { listWires, type Wire } from "../../core/graph/document";
import { spell } from "../../core/graph/values";

type Position = [number, number];
type Operators = ReadonlyMap<string, Operator>;

export interface MarkedNode {
  name: string;
  op: string;
  said: string;
  did: readonly Did[];
  was: string | null;
  at: Position;
  /** Where it lay before, if it was moved. */
  before: Position | null;
}

export interface MarkedWire extends Wire {
  did: "added" | "removed" | "rewired" | null;
  /** The port that it led to before, if it leads to another one of the same node now. */
  was: string | null;
}

export interface Marked {
  nodes: MarkedNode[];
  wires: MarkedWire[];
}

const keyOf = ({ from, to, port }: Wire): string => `${from}>${to}.${port}`;

function said(document: PlanDocument, name: string): string {
  const node = document.nodes[name];
  return [node?.stream, ...Object.values(node?.params ?? {}).map(spell)].filter(Boolean).join(" ");
}

/** The wires of a document under the names of the other one. */
function wiresUnder(document: PlanDocument, renames: Readonly<Record<string, string>>): Wire[] {
  const named = (name: string): string => renames[name] ?? name;
  return listWires(document).map(({ from, to, port }) => ({ from: named(from), to: named(to), port }));
}

export function buildMarkedDocument({ from, to, renames, subjects }: Compared, operators: Operators): Marked {
  const [old, now] = [computePositions(from.document, operators), computePositions(to.document, operators)];
  const did = new Map(subjects.filter((one) => one.node).map((one) => [one.name, one]));
  const nodeOf = (document: PlanDocument, name: string, at: Position): MarkedNode => {
    const subject = did.get(name);
    const moved = subject?.did.includes("moved") ?? false;
    const before = moved ? (old[subject?.was ?? name] ?? null) : null;
    const op = document.nodes[name]?.op ?? "";
    return {
      name,
      op,
      said: said(document, name),
      did: subject?.did ?? [],
      was: subject?.was ?? null,
      at,
      before,
    };
  };
  const here = Object.keys(to.document.nodes).map((name) => nodeOf(to.document, name, now[name] ?? [0, 0]));
  const gone = Object.keys(from.document.nodes)
    .filter((name) => did.get(name)?.did.includes("removed"))
    .map((name) => nodeOf(from.document, name, old[name] ?? [0, 0]));
  const nodes = [...here, ...gone];
  return {
    nodes,
    wires: markedWires(new Set(nodes.map((node) => node.name)), from.document, to.document, renames),
  };
}

function markedWires(
  names: ReadonlySet<string>,
  from: PlanDocument,
  to: PlanDocument,
  renames: Readonly<Record<string, string>>,
): MarkedWire[] {
  const before = new Map(wiresUnder(from, renames).map((wire) => [keyOf(wire), wire]));
  const after = new Map(listWires(to).map((wire) => [keyOf(wire), wire]));
  const gone = new Map([...before].filter(([key]) => !after.has(key)));
  const here = [...after].map(([key, wire]): MarkedWire => {
    if (before.has(key)) return { ...wire, did: null, was: null };
    const other = [...gone].find(([, one]) => one.from === wire.from && one.to === wire.to);
    if (!other) return { ...wire, did: "added", was: null };
    gone.delete(other[0]);
    return { ...wire, did: "rewired", was: other[1].port };
  });
  const removed = [...gone.values()].map((wire): MarkedWire => ({ ...wire, did: "removed", was: null }));
  return [...here, ...removed].filter((wire) => names.has(wire.from) && names.has(wire.to));
}

/** What happened to a wire; null: nothing. */
export function describeWireChange({
  did,
  port,
  was,
}: Pick<MarkedWire, "did" | "port" | "was">): string | null {
  return was === null ? did : `${was} → ${port}`;
}

/** What happened to a node, the weightiest first. */
export function wordsOf({ did, was }: Pick<MarkedNode, "did" | "was">): string {
  return did.map((one) => (one === "renamed" ? `was ${was ?? "another"}` : one)).join(", ");
}
