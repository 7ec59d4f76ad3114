/** A document that was read anew, with every part of the one before that did not change: equal parts stay the very same. */
import type { DocumentNode, PlanDocument } from "../api/types";

type Entries = Readonly<Record<string, unknown>>;

function isEntries(value: unknown): value is Entries {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two JSON values mean the same; the order of keys does not matter. */
export function isEqualJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, i) => isEqualJson(one, b[i]));
  if (!isEntries(a) || !isEntries(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => key in b && isEqualJson(a[key], b[key]))
  );
}

function sameOrder(a: Entries, b: Entries): boolean {
  const keys = Object.keys(a);
  const others = Object.keys(b);
  return keys.length === others.length && keys.every((key, i) => key === others[i]);
}

function graftNodes(old: PlanDocument["nodes"], next: PlanDocument["nodes"]): PlanDocument["nodes"] {
  const kept = Object.entries(next).map(([name, node]): [string, DocumentNode] => {
    const before = old[name];
    return [name, before !== undefined && isEqualJson(before, node) ? before : node];
  });
  const same = sameOrder(old, next) && kept.every(([name, node]) => old[name] === node);
  return same ? old : Object.fromEntries(kept);
}

export function shareStructure(old: PlanDocument, next: PlanDocument): PlanDocument {
  const grafted = Object.fromEntries(
    Object.entries(next).map(([key, value]) => [key, isEqualJson(old[key], value) ? old[key] : value]),
  ) as PlanDocument;
  grafted.nodes = graftNodes(old.nodes, next.nodes);
  const keys = Object.keys(old);
  const same = keys.length === Object.keys(grafted).length && keys.every((key) => grafted[key] === old[key]);
  return same ? old : grafted;
}
