/** Changes that others made, brought into a document of one's own: what one has changed oneself stays. */
import type { PlanDocument } from "../api/document";
import { renameNode } from "./edit";

export interface Change {
  path: string[];
  /** Left out: nothing stood there. */
  before?: unknown;
  /** Left out: nothing stands there now. */
  after?: unknown;
}

/** From one document to another: nodes that are called otherwise, then what changed, under their new names. */
export interface Leading {
  renames: Record<string, string>;
  changes: Change[];
}

type Tree = Record<string, unknown>;

export const leadsNowhere = ({ renames, changes }: Leading): boolean =>
  changes.length === 0 && Object.keys(renames).length === 0;

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One spelling for what is equal, whatever the order of its names. */
function spelled(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isTree(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

const equal = (a: unknown, b: unknown): boolean => a === b || spelled(a) === spelled(b);

/** Whether an object may be made here to hold a change: a section, or the inputs and parameters of a node. */
function mayOpen(path: readonly string[]): boolean {
  return path.length === 1 || (path.length === 3 && path[0] === "nodes");
}

/** A list of one's own with what the others added and without what they took away. */
function mergedList(
  held: readonly unknown[],
  before: readonly unknown[],
  after: readonly unknown[],
): unknown[] {
  const has = (list: readonly unknown[], one: unknown): boolean => list.some((other) => equal(one, other));
  const kept = held.filter((one) => has(after, one) || !has(before, one));
  return [...kept, ...after.filter((one) => !has(before, one) && !has(kept, one))];
}

function changed(held: unknown, { before, after }: Change): unknown {
  if (equal(held, before)) return after;
  const [mine, old, now] = [held ?? [], before ?? [], after ?? []];
  if (Array.isArray(mine) && Array.isArray(old) && Array.isArray(now)) return mergedList(mine, old, now);
  return held;
}

function put(tree: Tree, key: string, value: unknown): Tree {
  if (value !== undefined) return tree[key] === value ? tree : { ...tree, [key]: value };
  if (!(key in tree)) return tree;
  return Object.fromEntries(Object.entries(tree).filter(([name]) => name !== key));
}

function applyAt(tree: Tree, change: Change, depth: number): Tree {
  const key = change.path[depth];
  if (key === undefined) return tree;
  const held = tree[key];
  if (depth === change.path.length - 1) return put(tree, key, changed(held, change));
  const inner = held === undefined && mayOpen(change.path.slice(0, depth + 1)) ? {} : held;
  if (!isTree(inner)) return tree;
  const after = applyAt(inner, change, depth + 1);
  return after === inner ? tree : put(tree, key, after);
}

/** Places are not lists of things: they are taken whole, or not at all. */
function isForeignPlace(document: Tree, { path, before }: Change): boolean {
  const held = isTree(document.layout) ? document.layout[path[1] ?? ""] : undefined;
  return path[0] === "layout" && path.length === 2 && !equal(held, before);
}

export function applyChanges(document: PlanDocument, { renames, changes }: Leading): PlanDocument {
  const named = Object.entries(renames).reduce((held, [old, name]) => renameNode(held, old, name), document);
  return changes.reduce<Tree>(
    (held, change) => (isForeignPlace(held, change) ? held : applyAt(held, change, 0)),
    named,
  ) as PlanDocument;
}
