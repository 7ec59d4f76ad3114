/** Whether a wire may be laid, and in words why not. */
import type { InputPort, OutputKind, PlanDocument } from "../api/types";
import { sourcesAt, type Wire } from "./document";
import { collectUpstream } from "./walk";
import { selectGroupedNodes, outputKind, type Operators, type Streams } from "./kinds";

export interface Catalogue {
  operators: Operators;
  streams: Streams;
}

export function portOf(document: PlanDocument, name: string, port: string, operators: Operators) {
  const node = document.nodes[name];
  return node && operators.get(node.op)?.inputs.find((input) => input.name === port);
}

function accepts(port: InputPort, kind: OutputKind): boolean {
  return kind === "any" || port.kinds.includes("any") || port.kinds.includes(kind);
}

/** The reason for which the port would refuse the wire, or null where it takes it. */
export function refusesWire(document: PlanDocument, wire: Wire, catalogue: Catalogue): string | null {
  const port = portOf(document, wire.to, wire.port, catalogue.operators);
  if (!port) return "There is no such port.";
  if (wire.from === wire.to) return "A node cannot read itself.";
  if (collectUpstream(document.nodes, wire.from).has(wire.to))
    return `This would create a loop (${wire.from} already depends on ${wire.to}).`;
  if (sourcesAt(document.nodes[wire.to], wire.port).includes(wire.from))
    return "These are connected already.";
  const kind = outputKind(document, wire.from, catalogue.operators, catalogue.streams);
  if (!accepts(port, kind)) return `Takes ${port.kinds.join(" or ")}; ${wire.from} gives ${kind}.`;
  return refusesAcrossKeys(document, wire, catalogue.operators);
}

/** The other inputs of the node, those included that share the port where it takes several. */
function otherInputs(document: PlanDocument, wire: Wire, operators: Operators): string[] {
  const node = document.nodes[wire.to];
  return Object.keys(node?.inputs ?? {})
    .filter((name) => name !== wire.port || portOf(document, wire.to, name, operators)?.many)
    .flatMap((name) => sourcesAt(node, name))
    .filter((from) => from in document.nodes);
}

function refusesAcrossKeys(document: PlanDocument, wire: Wire, operators: Operators): string | null {
  const grouped = selectGroupedNodes(document, operators);
  const other = otherInputs(document, wire, operators).find(
    (from) => grouped.has(from) !== grouped.has(wire.from),
  );
  return other === undefined ? null : `${other} and ${wire.from} have different keys: one is by group.`;
}
