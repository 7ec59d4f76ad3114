/** Reading a plan document: wires, sinks, reachability, and the check of its outer shape. */
import type { DocumentNode, PlanDocument } from "../api/types";
import { describeShapeProblem } from "../api/shape";

export interface Wire {
  from: string;
  to: string;
  port: string;
}

/** How a plan is called that nobody named. */
export const UNTITLED = "Untitled plan";

export function emptyDocument(): PlanDocument {
  return { version: 1, name: UNTITLED, nodes: {}, results: [], layout: {} };
}

export function sourcesAt(node: DocumentNode | undefined, port: string): string[] {
  const held = node?.inputs?.[port];
  if (held === undefined) return [];
  return Array.isArray(held) ? held : [held];
}

export function listWiresInto(name: string, node: DocumentNode): Wire[] {
  return Object.keys(node.inputs ?? {}).flatMap((port) =>
    sourcesAt(node, port).map((from) => ({ from, to: name, port })),
  );
}

export function listWires(document: PlanDocument): Wire[] {
  return Object.entries(document.nodes).flatMap(([name, node]) => listWiresInto(name, node));
}

/** Nodes that no other node reads: the results of a plan unless it names others. */
export function findSinks(document: PlanDocument): string[] {
  const read = new Set(listWires(document).map((wire) => wire.from));
  return Object.keys(document.nodes).filter((name) => !read.has(name));
}
/** The document in `text`; throws an error in words where it is none. Keys it does not know are kept. */
export function parseDocument(text: string): PlanDocument {
  const value: unknown = JSON.parse(text);
  const problem = describeShapeProblem(value);
  if (problem !== null) throw new Error(problem.message);
  const document = value as PlanDocument;
  return { ...document, name: typeof document.name === "string" ? document.name : UNTITLED };
}

export function isSameDocument(a: PlanDocument, b: PlanDocument): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
