/** Edits of a plan document. Each returns a new document; what it does not touch stays as it was. */
import type { DocumentNode, Operator, ParameterValue, PlanDocument, Scalar } from "../api/types";
import { withoutNodes, withRenamedNode } from "./drawing";
import type { Position } from "./position";
import { omitKey } from "./records";
import { isInherited } from "../api/shape";
import { withSteps } from "./steps";
import { findSinks, sourcesAt, listWires, type Wire } from "./document";

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && [...a].sort().join("\n") === [...b].sort().join("\n");
}

/** Results follow the sinks until a person names others. */
export function hasDefaultResults(document: PlanDocument): boolean {
  const named = document.results ?? [];
  return named.length === 0 || sameNames(named, findSinks(document));
}

export function withResults(before: PlanDocument, after: PlanDocument): PlanDocument {
  const named = before.results ?? [];
  return {
    ...after,
    results: hasDefaultResults(before) ? findSinks(after) : named.filter((name) => name in after.nodes),
  };
}

function replaceNode(document: PlanDocument, name: string, node: DocumentNode): PlanDocument {
  return { ...document, nodes: { ...document.nodes, [name]: node } };
}

export function changeNode(
  document: PlanDocument,
  name: string,
  change: (node: DocumentNode) => DocumentNode,
): PlanDocument {
  const node = document.nodes[name];
  return node ? replaceNode(document, name, change(node)) : document;
}

export function freeName(document: PlanDocument, wanted: string): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}_${n}`;
    if (!(name in document.nodes)) return name;
  }
}

export function addNode(
  document: PlanDocument,
  operator: Operator,
  at: Position,
  stream?: string,
): { document: PlanDocument; name: string } {
  const name = freeName(document, operator.name);
  const node: DocumentNode = { op: operator.name };
  if (operator.needs_stream && stream !== undefined) node.stream = stream;
  const preset = operator.parameters.filter((p) => p.required && p.default !== null);
  if (preset.length > 0) node.params = Object.fromEntries(preset.map((p) => [p.name, p.default as Scalar]));
  const added = moveNodes(replaceNode(document, name, node), { [name]: at });
  return { document: withResults(document, added), name };
}

export function moveNodes(document: PlanDocument, places: Record<string, Position>): PlanDocument {
  const rounded = Object.entries(places).map(([name, [x, y]]) => [name, [Math.round(x), Math.round(y)]]);
  return { ...document, layout: { ...document.layout, ...Object.fromEntries(rounded) } };
}

/** The node with `part` set, or without that key where `part` is empty. */
function withPart(node: DocumentNode, key: "inputs" | "params", part: Record<string, unknown>): DocumentNode {
  const rest = omitKey(node, key) as DocumentNode;
  return Object.keys(part).length > 0 ? { ...rest, [key]: part } : rest;
}

export function withSources(
  node: DocumentNode,
  port: string,
  sources: string[],
  many: boolean,
): DocumentNode {
  const held = node.inputs ?? {};
  const inputs =
    sources.length === 0
      ? omitKey(held, port)
      : { ...held, [port]: many && sources.length > 1 ? sources : sources[0] };
  return withPart(node, "inputs", inputs);
}

/** Lay a wire. A port for one wire gives up the one it had; a port for many takes another. */
export function connect(document: PlanDocument, wire: Wire, many: boolean): PlanDocument {
  const after = changeNode(document, wire.to, (node) => {
    const held = sourcesAt(node, wire.port);
    if (held.includes(wire.from)) return node;
    return withSources(node, wire.port, many ? [...held, wire.from] : [wire.from], many);
  });
  return withResults(document, after);
}

function cut(document: PlanDocument, wire: Wire): PlanDocument {
  return changeNode(document, wire.to, (node) => {
    const held = node.inputs?.[wire.port];
    const left = sourcesAt(node, wire.port).filter((from) => from !== wire.from);
    return withSources(node, wire.port, left, Array.isArray(held));
  });
}

export function disconnect(document: PlanDocument, gone: readonly Wire[]): PlanDocument {
  return withResults(document, gone.reduce(cut, document));
}

export function removeNodes(document: PlanDocument, names: readonly string[]): PlanDocument {
  const gone = new Set(names);
  const read = listWires(document).filter((wire) => gone.has(wire.from));
  const { nodes } = read.reduce(cut, document);
  const left = (record: object) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !gone.has(name)));
  const drawn = withoutNodes(document, gone);
  return withResults(document, { ...drawn, nodes: left(nodes), layout: left(document.layout ?? {}) });
}

const NAME = /^[\p{L}_][\p{L}\p{N}_]{0,99}$/u;

/** Why a node cannot be called so, or null. */
export function refusesName(document: PlanDocument, old: string, name: string): string | null {
  if (!NAME.test(name))
    return "A name has letters, digits and _, at most 100, and does not begin with a digit.";
  if (isInherited(name)) return `A node cannot have the name "${name}". Choose another name.`;
  if (name !== old && name in document.nodes) return `Another node is named "${name}".`;
  return null;
}

export function renameNode(document: PlanDocument, old: string, name: string): PlanDocument {
  if (old === name || refusesName(document, old, name) !== null) return document;
  const now = (one: string): string => (one === old ? name : one);
  const renamed = (node: DocumentNode): DocumentNode =>
    node.inputs
      ? {
          ...node,
          inputs: Object.fromEntries(
            Object.entries(node.inputs).map(([port, held]) => [
              port,
              Array.isArray(held) ? held.map(now) : now(held),
            ]),
          ),
        }
      : node;
  const nodes = Object.entries(document.nodes).map(([key, node]) => [now(key), renamed(node)]);
  const layout = Object.entries(document.layout ?? {}).map(([key, at]) => [now(key), at]);
  return {
    ...withRenamedNode(document, old, name),
    nodes: Object.fromEntries(nodes),
    results: (document.results ?? []).map(now),
    layout: Object.fromEntries(layout),
  };
}

/** Set a parameter; `undefined` takes it away. */
export function setParameter(
  document: PlanDocument,
  name: string,
  parameter: string,
  value: ParameterValue | undefined,
): PlanDocument {
  return changeNode(document, name, (node) => {
    const held = node.params ?? {};
    if (parameter === "steps" && Array.isArray(value)) return { ...node, params: withSteps(held, value) };
    return withPart(
      node,
      "params",
      value === undefined ? omitKey(held, parameter) : { ...held, [parameter]: value },
    );
  });
}

export function setStream(document: PlanDocument, name: string, stream: string): PlanDocument {
  return changeNode(document, name, (node) =>
    stream === "" ? (omitKey(node, "stream") as DocumentNode) : { ...node, stream },
  );
}

export function setResult(document: PlanDocument, name: string, is: boolean): PlanDocument {
  const others = (document.results ?? []).filter((one) => one !== name);
  return { ...document, results: is ? [...others, name] : others };
}
