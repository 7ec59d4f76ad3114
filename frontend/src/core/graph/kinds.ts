/** What kind of timeline each node of a document carries, as far as the document alone tells. */
import type { DocumentNode, FieldType, Operator, OutputKind, PlanDocument, Stream } from "../api/types";
import { sourcesAt } from "./document";
import { memoizeLast } from "./memo";

export type Operators = ReadonlyMap<string, Operator>;
export type Streams = ReadonlyMap<string, Stream>;

/** The type of a field; what is not declared is text. */
export function typeOf(stream: Stream, field: string): FieldType {
  return (Object.hasOwn(stream.fields, field) && stream.fields[field]) || "text";
}

function fieldKind(node: DocumentNode, operator: Operator, streams: Streams): OutputKind {
  const parameter = operator.parameters.find((one) => one.type === "field");
  const field = parameter && node.params?.[parameter.name];
  const stream = streams.get(node.stream ?? "");
  if (stream === undefined || typeof field !== "string" || field === "") return "any";
  if (field.startsWith("=")) return "any"; // an expression, whose kind the server finds
  return typeOf(stream, field);
}

/** Whether the kind of a node is that of what it reads. */
function keepsKind(node: DocumentNode, { output, parameters, keeps_kind: choices }: Operator): boolean {
  return (
    output === "any" ||
    parameters.some((parameter) => choices.includes(String(node.params?.[parameter.name])))
  );
}

/** The kind that a node has by itself, or the node that it takes it from: an operator of any kind passes on its `of`. */
function ownKind(
  nodes: PlanDocument["nodes"],
  name: string,
  operators: Operators,
  streams: Streams,
): { kind: OutputKind } | { of: string } {
  const node = nodes[name];
  const operator = node && operators.get(node.op);
  if (!operator) return { kind: "any" };
  if (!keepsKind(node, operator)) return { kind: operator.output };
  if (operator.needs_stream) return { kind: fieldKind(node, operator, streams) };
  const [of] = sourcesAt(node, "of");
  return of === undefined ? { kind: "any" } : { of };
}

/** The kinds of all outputs; "any" while one is open, or waits for itself. */
const kindsOf = memoizeLast(
  (nodes: PlanDocument["nodes"], operators: Operators, streams: Streams): ReadonlyMap<string, OutputKind> => {
    const kinds = new Map<string, OutputKind>();
    for (const start of Object.keys(nodes)) {
      const path = new Set<string>();
      let name = start;
      let kind = kinds.get(name);
      while (kind === undefined) {
        path.add(name);
        const own = ownKind(nodes, name, operators, streams);
        if ("kind" in own) kind = own.kind;
        else if (path.has(own.of)) kind = "any";
        else kind = kinds.get((name = own.of));
      }
      for (const one of path) kinds.set(one, kind);
    }
    return kinds;
  },
);

/** The kind of `name`'s output; "any" while it is open. */
export function outputKind(
  document: PlanDocument,
  name: string,
  operators: Operators,
  streams: Streams,
): OutputKind {
  return kindsOf(document.nodes, operators, streams).get(name) ?? "any";
}

/** The stream that is not shared and alone tells the kind of `name`'s output; null where that is told otherwise. */
export function findHiddenStream(
  { nodes }: PlanDocument,
  name: string,
  operators: Operators,
  hidden: readonly string[],
): string | null {
  const leaf = leafBehind(nodes, name, operators);
  return hidden.find((stream) => stream === leaf?.stream) ?? null;
}

/** The node of a stream whose values a node passes on, or null where its own operator makes them. */
function leafBehind(nodes: PlanDocument["nodes"], name: string, operators: Operators): DocumentNode | null {
  const path = new Set<string>();
  let at: string | undefined = name;
  while (at !== undefined && !path.has(at)) {
    path.add(at);
    const node: DocumentNode | undefined = nodes[at];
    const operator = operators.get(node?.op ?? "");
    if (!node || !operator || !keepsKind(node, operator)) return null;
    if (operator.needs_stream) return node;
    [at] = sourcesAt(node, "of");
  }
  return null;
}

export interface StreamField {
  readonly stream: string;
  readonly field: string;
}

/** The field of a stream that the values of a node are of, or null. */
export function findStreamField(
  { nodes }: PlanDocument,
  name: string,
  operators: Operators,
): StreamField | null {
  const node = leafBehind(nodes, name, operators);
  const parameter = operators.get(node?.op ?? "")?.parameters.find((one) => one.type === "field");
  const field = parameter && node?.params?.[parameter.name];
  if (node?.stream === undefined || typeof field !== "string" || field === "" || field.startsWith("="))
    return null;
  return { stream: node.stream, field };
}

/** Those names that hold; each is asked of once, and one that waits for itself, in a cycle, answers `meanwhile`. */
function holding(
  names: Iterable<string>,
  meanwhile: boolean,
  holds: (name: string, ask: (other: string) => boolean) => boolean,
): Set<string> {
  const known = new Map<string, boolean>();
  const ask = (name: string): boolean => {
    const held = known.get(name);
    if (held !== undefined) return held;
    known.set(name, meanwhile);
    const answer = holds(name, ask);
    known.set(name, answer);
    return answer;
  };
  return new Set([...names].filter(ask));
}

type Nodes = PlanDocument["nodes"];

function isAcrossKeys(nodes: Nodes, name: string, operators: Operators): boolean {
  return operators.get(nodes[name]?.op ?? "")?.category === "keys";
}

function sources(nodes: Nodes, name: string): string[] {
  const node = nodes[name];
  return Object.keys(node?.inputs ?? {}).flatMap((port) => sourcesAt(node, port));
}

/** The nodes whose only group is everyone, `*`: aggregates without `by`, and what lies above no other. */
export function selectEveryoneNodes(document: PlanDocument, operators: Operators): Set<string> {
  const grouped = selectGroupedNodes(document, operators);
  return holding(grouped, true, (name, everyone) =>
    isAcrossKeys(document.nodes, name, operators)
      ? sourcesAt(document.nodes[name], "by").length === 0
      : sources(document.nodes, name)
          .filter((one) => grouped.has(one))
          .every(everyone),
  );
}

/** The nodes whose keys are groups: at or below an operator across keys. */
export function selectGroupedNodes(document: PlanDocument, operators: Operators): ReadonlySet<string> {
  return groupedOf(document.nodes, operators);
}

const groupedOf = memoizeLast((nodes: Nodes, operators: Operators): ReadonlySet<string> =>
  holding(
    Object.keys(nodes),
    false,
    (name, grouped) => isAcrossKeys(nodes, name, operators) || sources(nodes, name).some(grouped),
  ),
);
