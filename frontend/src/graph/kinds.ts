/** What kind of timeline each node of a document carries, as far as the document alone tells. */
import type { Operator, OutputKind, PlanDocument, Stream } from "../api/types";
import { sourcesAt } from "./document";

export type Operators = ReadonlyMap<string, Operator>;
export type Streams = ReadonlyMap<string, Stream>;

function fieldKind(document: PlanDocument, name: string, operator: Operator, streams: Streams): OutputKind {
  const node = document.nodes[name];
  const parameter = operator.parameters.find((one) => one.type === "field");
  const field = parameter && node?.params?.[parameter.name];
  const stream = streams.get(node?.stream ?? "");
  if (stream === undefined || typeof field !== "string" || field === "") return "any";
  return stream.fields[field] ?? "text";
}

/** The kind of `name`'s output; "any" while it is open. An operator of any kind passes on its `of`. */
export function outputKind(
  document: PlanDocument,
  name: string,
  operators: Operators,
  streams: Streams,
  above: readonly string[] = [],
): OutputKind {
  const node = document.nodes[name];
  const operator = node && operators.get(node.op);
  if (!operator || above.includes(name)) return "any";
  if (operator.output !== "any") return operator.output;
  if (operator.needs_stream) return fieldKind(document, name, operator, streams);
  const [of] = sourcesAt(node, "of");
  return of === undefined ? "any" : outputKind(document, of, operators, streams, [...above, name]);
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

function isAcrossKeys(document: PlanDocument, name: string, operators: Operators): boolean {
  return operators.get(document.nodes[name]?.op ?? "")?.category === "keys";
}

function sources(document: PlanDocument, name: string): string[] {
  const node = document.nodes[name];
  return Object.keys(node?.inputs ?? {}).flatMap((port) => sourcesAt(node, port));
}

/** The nodes whose only group is everyone, `*`: aggregates without `by`, and what lies above no other. */
export function everyoneNodes(document: PlanDocument, operators: Operators): Set<string> {
  const grouped = groupedNodes(document, operators);
  return holding(grouped, true, (name, everyone) =>
    isAcrossKeys(document, name, operators)
      ? sourcesAt(document.nodes[name], "by").length === 0
      : sources(document, name)
          .filter((one) => grouped.has(one))
          .every(everyone),
  );
}

/** The nodes whose keys are groups: at or below an operator across keys. */
export function groupedNodes(document: PlanDocument, operators: Operators): Set<string> {
  return holding(
    Object.keys(document.nodes),
    false,
    (name, grouped) => isAcrossKeys(document, name, operators) || sources(document, name).some(grouped),
  );
}
