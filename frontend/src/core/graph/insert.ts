/** Which operators fit at the end of a wire or in the middle of one, and putting them there. */
import type { Operator, PlanDocument } from "../api/types";
import { sourcesAt, listWires, type Wire } from "./document";
import { addNode, changeNode, connect, disconnect, removeNodes, withResults, withSources } from "./edit";
import type { Position } from "./position";
import { outputKind } from "./kinds";
import { portOf, refusesWire, type Catalogue } from "./wiring";

/** An open end of a wire: an output that waits for a reader, or a port that waits for a node. */
type End = { from: string } | { to: string; port: string };
export type Spot = End | Wire | null;

interface Trial {
  document: PlanDocument;
  name: string;
}

function trial(document: PlanDocument, operator: Operator, stream?: string): Trial {
  return addNode(document, operator, [0, 0], stream);
}

/** The first port of a node that takes the output of `from`, or null. */
export function findPortFor(
  document: PlanDocument,
  from: string,
  to: string,
  catalogue: Catalogue,
): string | null {
  const inputs = catalogue.operators.get(document.nodes[to]?.op ?? "")?.inputs ?? [];
  const free = (port: string): boolean => sourcesAt(document.nodes[to], port).length === 0;
  const taking = inputs.filter(
    (port) => refusesWire(document, { from, to, port: port.name }, catalogue) === null,
  );
  return (taking.find((port) => free(port.name) || port.many) ?? taking[0])?.name ?? null;
}

function isMany(document: PlanDocument, wire: Wire, catalogue: Catalogue): boolean {
  return portOf(document, wire.to, wire.port, catalogue.operators)?.many ?? false;
}

function laid(document: PlanDocument, wire: Wire, catalogue: Catalogue): PlanDocument {
  return connect(document, wire, isMany(document, wire, catalogue));
}

/** The plan with `name` wired to the spot, or null where it does not fit there. */
function wired(document: PlanDocument, name: string, spot: Spot, catalogue: Catalogue): PlanDocument | null {
  if (spot === null) return document;
  if ("from" in spot && "to" in spot) return insertIntoWire(document, name, spot, catalogue);
  if ("from" in spot) {
    const port = findPortFor(document, spot.from, name, catalogue);
    return port === null ? null : laid(document, { from: spot.from, to: name, port }, catalogue);
  }
  const wire = { from: name, to: spot.to, port: spot.port };
  return refusesWire(document, wire, catalogue) === null ? laid(document, wire, catalogue) : null;
}

/** Put a node into a wire: what went along it now goes through the node, at the same place of its port. */
export function insertIntoWire(
  document: PlanDocument,
  name: string,
  wire: Wire,
  catalogue: Catalogue,
): PlanDocument | null {
  const cut = disconnect(document, [wire]);
  const port = findPortFor(cut, wire.from, name, catalogue);
  if (port === null) return null;
  const fed = laid(cut, { from: wire.from, to: name, port }, catalogue);
  const onward = { from: name, to: wire.to, port: wire.port };
  if (refusesWire(fed, onward, catalogue) !== null) return null;
  const order = sourcesAt(document.nodes[wire.to], wire.port).map((from) =>
    from === wire.from ? name : from,
  );
  const many = Array.isArray(document.nodes[wire.to]?.inputs?.[wire.port]);
  const joined = changeNode(fed, wire.to, (node) => withSources(node, wire.port, order, many));
  return withResults(document, joined);
}

/** The operators that fit at a spot. */
export function selectFittingOperators(document: PlanDocument, spot: Spot, catalogue: Catalogue): Operator[] {
  const all = [...catalogue.operators.values()];
  if (spot === null) return all;
  return all.filter((operator) => {
    const made = trial(document, operator, [...catalogue.streams.keys()][0]);
    return wired(made.document, made.name, spot, catalogue) !== null;
  });
}

export function addAt(
  document: PlanDocument,
  operator: Operator,
  at: Position,
  spot: Spot,
  catalogue: Catalogue,
  stream?: string,
): Trial | null {
  const made = addNode(document, operator, at, stream);
  const after = wired(made.document, made.name, spot, catalogue);
  return after === null ? null : { document: withResults(document, after), name: made.name };
}

/** Take nodes away and lead what they read to those that read them, where the kinds allow it. */
export function removeAndBridge(
  document: PlanDocument,
  names: readonly string[],
  catalogue: Catalogue,
): PlanDocument {
  const after = names.reduce((held, name) => dissolveOne(held, name, catalogue), document);
  return withResults(document, after);
}

function dissolveOne(document: PlanDocument, name: string, catalogue: Catalogue): PlanDocument {
  const node = document.nodes[name];
  if (!node) return document;
  const main = catalogue.operators.get(node.op)?.inputs[0]?.name ?? Object.keys(node.inputs ?? {})[0] ?? "of";
  const sources = sourcesAt(node, main);
  const readers = listWires(document).filter((wire) => wire.from === name);
  const order = readers.map((wire) => ({ wire, held: sourcesAt(document.nodes[wire.to], wire.port) }));
  return order.reduce(
    (held, { wire, held: before }) => {
      const many = isMany(document, wire, catalogue);
      const put = (many ? sources : sources.slice(0, 1)).filter(
        (from) => refusesWire(held, { ...wire, from }, catalogue) === null,
      );
      const now = before.flatMap((from) => (from === name ? put : [from]));
      const joined = changeNode(held, wire.to, (documentNode) =>
        withSources(documentNode, wire.port, now, many),
      );
      return now.length === 0 ? held : joined;
    },
    removeNodes(document, [name]),
  );
}

/** What a spot is, in words. */
export function describeSpot(document: PlanDocument, spot: Spot, catalogue: Catalogue): string {
  if (spot === null) return "Add a node";
  if ("from" in spot && "to" in spot) return `Insert between ${spot.from} and ${spot.to}`;
  if ("from" in spot) {
    const kind = outputKind(document, spot.from, catalogue.operators, catalogue.streams);
    return `Add a node that reads ${spot.from} (${kind})`;
  }
  const kinds = portOf(document, spot.to, spot.port, catalogue.operators)?.kinds ?? [];
  return `Add a node for ${spot.to}, ${spot.port} (${kinds.join(" or ")})`;
}
