/** The spelling of a literal in a field, and back, by the kind that it is compared with. */
import type { Operator, OutputKind, PlanDocument, Scalar } from "../api/types";
import { sourcesAt } from "./document";
import { outputKind } from "./kinds";
import type { Catalogue } from "./wiring";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The literal that `text` spells; a number that is spelled as a duration stays text ("10min"). */
export function parseValue(text: string, kind: OutputKind): Scalar | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (kind === "bool" && (trimmed === "true" || trimmed === "false")) return trimmed === "true";
  if (kind === "number" && NUMBER.test(trimmed)) return Number(trimmed);
  return kind === "number" ? trimmed : text;
}

export function spell(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
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

/** A node's literals, read again by the kind that they are now compared with. */
export function respellValues(document: PlanDocument, name: string, catalogue: Catalogue): PlanDocument {
  const node = document.nodes[name];
  const operator = node && catalogue.operators.get(node.op);
  if (!operator || !node.params) return document;
  const kind = literalKind(document, name, operator, catalogue);
  if (kind === "any") return document;
  const params = { ...node.params };
  for (const { name: parameter, type } of operator.parameters)
    if (type === "value" && params[parameter] !== undefined)
      params[parameter] = parseValue(spell(params[parameter]), kind) ?? params[parameter];
  return { ...document, nodes: { ...document.nodes, [name]: { ...node, params } } };
}
