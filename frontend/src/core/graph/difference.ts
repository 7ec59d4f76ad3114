/** What would be different if another document took the place of one: by node, in words. */
import type { DocumentNode, PlanDocument } from "../api/types";
import { sourcesAt } from "./document";
import { isEqualJson } from "./structuralSharing";
import { spell } from "./values";

interface ChangedNode {
  name: string;
  /** Each change in words: `duration: 5s → 10s`. */
  words: string[];
}

export interface Difference {
  added: string[];
  removed: string[];
  changed: ChangedNode[];
  moved: string[];
  /** What changes of the plan itself: its name, results, groups. */
  frame: string[];
}

function step(what: string, before: unknown, after: unknown): string[] {
  if (isEqualJson(before, after)) return [];
  const told = (value: unknown): string => spell(value) || "nothing";
  return [`${what}: ${told(before)} → ${told(after)}`];
}

function keysOf(...records: readonly (object | undefined)[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record ?? {})))];
}

function wiring(before: DocumentNode, after: DocumentNode): string[] {
  const told = (node: DocumentNode, port: string): string => sourcesAt(node, port).join(", ");
  return keysOf(before.inputs, after.inputs).flatMap((port) =>
    step(port, told(before, port), told(after, port)),
  );
}

const PARTS = new Set(["op", "stream", "inputs", "params", "comment"]);

function changes(before: DocumentNode, after: DocumentNode): string[] {
  const named = keysOf(before.params, after.params).flatMap((name) =>
    step(name, before.params?.[name], after.params?.[name]),
  );
  const others = keysOf(before, after).filter(
    (key) => !PARTS.has(key) && !isEqualJson(before[key], after[key]),
  );
  return [
    ...step("operator", before.op, after.op),
    ...step("stream", before.stream, after.stream),
    ...wiring(before, after),
    ...named,
    ...(isEqualJson(before.comment, after.comment) ? [] : ["its comment"]),
    ...others,
  ];
}

const SAID: Readonly<Record<string, string>> = { name: "the name", nodes: "", layout: "" };

export function computeDifference(before: PlanDocument, after: PlanDocument): Difference {
  const names = Object.keys(after.nodes);
  const kept = names.filter((name) => name in before.nodes);
  const changed = kept.flatMap((name): ChangedNode[] => {
    const [one, other] = [before.nodes[name], after.nodes[name]];
    const words = one && other ? changes(one, other) : [];
    return words.length > 0 ? [{ name, words }] : [];
  });
  const frame = keysOf(before, after)
    .filter((key) => !isEqualJson(before[key], after[key]))
    .map((key) => SAID[key] ?? key)
    .filter((words) => words !== "");
  return {
    added: names.filter((name) => !(name in before.nodes)),
    removed: Object.keys(before.nodes).filter((name) => !(name in after.nodes)),
    changed,
    moved: kept.filter((name) => !isEqualJson(before.layout?.[name], after.layout?.[name])),
    frame,
  };
}

export function isEmpty(difference: Difference): boolean {
  return Object.values(difference).every((list: unknown[]) => list.length === 0);
}
