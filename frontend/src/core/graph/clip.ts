/** What is copied: a part of a plan that is a plan document itself, so that it pastes into any plan, tab or file. */
import type { DocumentNode, Group, PlanComment, PlanDocument } from "../api/types";
import { commentsOf, groupsOf, placeOf } from "./drawing";
import { parseDocument, sourcesAt } from "./document";
import { freeName, refusesName, withResults } from "./edit";
import type { Position } from "./position";

const CLIPPING = "Clipping";

/** The selected nodes with their places, whole groups, and comments; `places` tell where all of them lie. */
export function buildClipping(
  document: PlanDocument,
  names: readonly string[],
  comments: ReadonlySet<number>,
  places: { nodes: Readonly<Record<string, Position>>; comments: readonly Position[] },
): PlanDocument {
  const chosen = new Set(names.filter((name) => name in document.nodes));
  const nodes = Object.entries(document.nodes).filter(([name]) => chosen.has(name));
  const groups = groupsOf(document).filter((group) => group.nodes.every((name) => chosen.has(name)));
  const texts = commentsOf(document).flatMap((one, i): PlanComment[] => {
    if (!comments.has(i)) return [];
    const comment = typeof one === "string" ? { text: one } : one;
    return [{ ...comment, before: null, at: places.comments[i] ?? [0, 0] }];
  });
  return {
    version: 1,
    name: CLIPPING,
    nodes: Object.fromEntries(nodes),
    layout: Object.fromEntries([...chosen].map((name) => [name, places.nodes[name] ?? [0, 0]])),
    ...(groups.length > 0 ? { groups } : {}),
    ...(texts.length > 0 ? { comments: texts } : {}),
  };
}

/** The clipping, or any plan document, that a text from the clipboard holds; null where it holds none. */
export function readClipping(text: string): PlanDocument | null {
  try {
    const document = parseDocument(text);
    return Object.keys(document.nodes).length + commentsOf(document).length > 0 ? document : null;
  } catch {
    return null;
  }
}

/** The names that the nodes of a clipping get in a plan. */
function newNames(document: PlanDocument, clipping: PlanDocument): Map<string, string> {
  const names = new Map<string, string>();
  let growing = document;
  for (const [old, node] of Object.entries(clipping.nodes)) {
    const wanted = refusesName({ version: 1, name: "", nodes: {} }, "", old) === null ? old : node.op;
    const base = wanted in document.nodes ? wanted.replace(/_\d+$/, "") : wanted;
    const name = freeName(growing, base);
    names.set(old, name);
    growing = { ...growing, nodes: { ...growing.nodes, [name]: node } };
  }
  return names;
}

function pastedNode(node: DocumentNode, now: (from: string) => string | null): DocumentNode {
  const { inputs, ...rest } = node;
  const kept = Object.keys(inputs ?? {}).flatMap((port): [string, string | string[]][] => {
    const sources = sourcesAt(node, port).flatMap((from) => now(from) ?? []);
    const [only] = sources;
    if (only === undefined) return [];
    return [[port, Array.isArray(inputs?.[port]) ? sources : only]];
  });
  return kept.length > 0 ? { ...rest, inputs: Object.fromEntries(kept) } : (rest as DocumentNode);
}

export interface Pasted {
  document: PlanDocument;
  names: string[];
  comments: number[];
}

/**
 * Paste a clipping, moved by `by`. Wires within it are laid anew; those from outside are kept where `outer` says so
 * and the plan has such a node.
 */
export function paste(document: PlanDocument, clipping: PlanDocument, by: Position, outer: boolean): Pasted {
  const names = newNames(document, clipping);
  const now = (from: string): string | null =>
    names.get(from) ?? (outer && from in document.nodes ? from : null);
  const moved = ([x, y]: Position): Position => [Math.round(x + by[0]), Math.round(y + by[1])];
  const nodes = { ...document.nodes };
  const layout = { ...document.layout };
  for (const [old, node] of Object.entries(clipping.nodes)) {
    const name = names.get(old) as string;
    nodes[name] = pastedNode(node, now);
    layout[name] = moved(clipping.layout?.[old] ?? [0, 0]);
  }
  const groups = groupsOf(clipping).map((group): Group => ({
    ...group,
    nodes: group.nodes.flatMap((one) => names.get(one) ?? []),
  }));
  const texts = commentsOf(clipping).map((comment): PlanComment => {
    const told = typeof comment === "string" ? { text: comment } : comment;
    return { ...told, before: null, at: moved(placeOf(comment) ?? [0, 0]) };
  });
  const held = commentsOf(document);
  const after: PlanDocument = { ...document, nodes, layout };
  if (groups.length > 0) after.groups = [...groupsOf(document), ...groups];
  if (texts.length > 0) after.comments = [...held, ...texts];
  return {
    document: names.size > 0 ? withResults(document, after) : after,
    names: [...names.values()],
    comments: texts.map((_, i) => held.length + i),
  };
}

/** The upper left corner of what a clipping holds. */
export function cornerOf(clipping: PlanDocument): Position {
  const places = Object.keys(clipping.nodes).map((name) => clipping.layout?.[name] ?? ([0, 0] as Position));
  const all = [...places, ...commentsOf(clipping).map((comment) => placeOf(comment) ?? ([0, 0] as Position))];
  return [Math.min(...all.map(([x]) => x)), Math.min(...all.map(([, y]) => y))];
}
