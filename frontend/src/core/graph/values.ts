/** The spelling of a literal in a field, and back, by the kind that it is compared with. */
import type { DocumentNode, Operator, OutputKind, PlanDocument, Scalar, SequencePart } from "../api/types";
import { sourcesAt } from "./document";
import { outputKind } from "./kinds";
import { spellParts, stepNames } from "./steps";
import type { Catalogue } from "./wiring";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export const spellsNumber = (text: string): boolean => NUMBER.test(text.trim());

/** The literal that `text` spells; a number that is spelled as a duration stays text ("10min"). */
export function parseValue(text: string, kind: OutputKind): Scalar | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (kind === "bool" && (trimmed === "true" || trimmed === "false")) return trimmed === "true";
  if (kind === "number" && spellsNumber(trimmed)) return Number(trimmed);
  return kind === "number" ? trimmed : text;
}

export function spell(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (isParts(value)) return spellParts(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function isParts(value: unknown): value is SequencePart[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => part?.stream !== undefined);
}

/** What a node on the canvas says of a parameter: of steps only their names. */
export function spellShortly(value: unknown): string {
  const names = isParts(value) ? stepNames(value) : [];
  return names.length > 0 ? names.join(" → ") : spell(value);
}

/** The kind that a node's literals have: that of its main input, else the only one which that port takes. */
export function literalKind(document: PlanDocument, name: string, operator: Operator, catalogue: Catalogue) {
  const [main] = operator.inputs;
  if (!main) return "any" as const;
  const [from] = sourcesAt(document.nodes[name], main.name);
  const kind =
    from === undefined ? "any" : outputKind(document, from, catalogue.operators, catalogue.streams);
  const [only, another] = main.kinds;
  return kind === "any" && only !== undefined && another === undefined ? only : kind;
}

/** Of one node, its literals read again by a kind. */
function respelt(node: DocumentNode, operator: Operator, kind: OutputKind): DocumentNode {
  const params = { ...node.params };
  for (const { name: parameter, type } of operator.parameters)
    if (type === "value" && params[parameter] !== undefined)
      params[parameter] = parseValue(spell(params[parameter]), kind) ?? params[parameter];
  return { ...node, params };
}

/** By node that has literals, the kind that they are compared with. */
function comparedWith(document: PlanDocument, catalogue: Catalogue): ReadonlyMap<string, OutputKind> {
  const found = new Map<string, OutputKind>();
  for (const [name, { op, params }] of Object.entries(document.nodes)) {
    const operator = catalogue.operators.get(op);
    if (
      operator?.parameters.some(
        (parameter) => parameter.type === "value" && params?.[parameter.name] !== undefined,
      )
    )
      found.set(name, literalKind(document, name, operator, catalogue));
  }
  return found;
}

/** Literals that are compared with another kind after an edit than before are read again by that kind. */
export function respellValues(before: PlanDocument, after: PlanDocument, catalogue: Catalogue): PlanDocument {
  if (before.nodes === after.nodes) return after;
  const was = comparedWith(before, catalogue);
  const now = [...comparedWith(after, catalogue)].filter(
    ([name, kind]) => kind !== "any" && kind !== was.get(name),
  );
  const nodes = now.flatMap(([name, kind]) => {
    const node = after.nodes[name];
    const operator = node && catalogue.operators.get(node.op);
    return operator ? [[name, respelt(node, operator, kind)]] : [];
  });
  return nodes.length === 0 ? after : { ...after, nodes: { ...after.nodes, ...Object.fromEntries(nodes) } };
}
