/** Reading a plan document: wires, sinks, reachability, and the check of its outer shape. */
import type { DocumentNode, PlanDocument } from "../api/types";

export interface Wire {
  from: string;
  to: string;
  port: string;
}

export function emptyDocument(): PlanDocument {
  return { version: 1, name: "Untitled plan", nodes: {}, results: [], layout: {} };
}

export function sourcesAt(node: DocumentNode | undefined, port: string): string[] {
  const held = node?.inputs?.[port];
  if (held === undefined) return [];
  return Array.isArray(held) ? held : [held];
}

export function wiresInto(name: string, node: DocumentNode): Wire[] {
  return Object.keys(node.inputs ?? {}).flatMap((port) =>
    sourcesAt(node, port).map((from) => ({ from, to: name, port })),
  );
}

export function wires(document: PlanDocument): Wire[] {
  return Object.entries(document.nodes).flatMap(([name, node]) => wiresInto(name, node));
}

/** Nodes that no other node reads: the results of a plan unless it names others. */
export function sinks(document: PlanDocument): string[] {
  const read = new Set(wires(document).map((wire) => wire.from));
  return Object.keys(document.nodes).filter((name) => !read.has(name));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isInput(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one === "string"));
}

/** What is wrong with the drawing: only what could not be shown at all; the server's check tells the rest. */
function drawingProblem(value: Record<string, unknown>): string | null {
  if (value.layout !== undefined && !isRecord(value.layout)) return '"layout" maps a node to its [x, y].';
  for (const [name, at] of Object.entries(value.layout ?? {}))
    if (!(Array.isArray(at) && at.length === 2 && at.every(Number.isFinite)))
      return `"layout": the place of "${name}" is two numbers, [x, y].`;
  const { groups, comments } = value;
  const isGroup = (one: unknown): boolean =>
    isRecord(one) && typeof one.title === "string" && Array.isArray(one.nodes) && isInput(one.nodes);
  if (groups !== undefined && !(Array.isArray(groups) && groups.every(isGroup)))
    return '"groups" is a list of {"title": …, "nodes": […]}.';
  const isComment = (one: unknown): boolean =>
    typeof one === "string" || (isRecord(one) && typeof one.text === "string");
  if (comments !== undefined && !(Array.isArray(comments) && comments.every(isComment)))
    return '"comments" is a list of texts, or of {"text": …}.';
  return null;
}

function shapeProblem(value: unknown): string | null {
  if (!isRecord(value)) return "A plan document is a JSON object.";
  if (value.version !== 1) return 'A plan document says "version": 1.';
  if (!isRecord(value.nodes)) return 'A plan document holds "nodes", an object of nodes by name.';
  for (const [name, node] of Object.entries(value.nodes)) {
    if (!isRecord(node) || typeof node.op !== "string")
      return `Node "${name}" needs "op", the operator's name.`;
    if (node.inputs !== undefined && !(isRecord(node.inputs) && Object.values(node.inputs).every(isInput)))
      return `Node "${name}": "inputs" maps a port to a node's name or a list of names.`;
    if (node.params !== undefined && !isRecord(node.params))
      return `Node "${name}": "params" is an object of parameters by name.`;
  }
  return drawingProblem(value);
}

/** The document in `text`; throws an error in words where it is none. Keys it does not know are kept. */
export function parseDocument(text: string): PlanDocument {
  const value: unknown = JSON.parse(text);
  const problem = shapeProblem(value);
  if (problem !== null) throw new Error(problem);
  const document = value as PlanDocument;
  return { ...document, name: typeof document.name === "string" ? document.name : "Untitled plan" };
}

export function same(a: PlanDocument, b: PlanDocument): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
