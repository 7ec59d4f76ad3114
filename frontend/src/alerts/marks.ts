/** The incidents that lanes show as marks: asked for together, and again when incidents change. */
import { create } from "zustand";
import { read } from "../core/api/client";
import { getConnection } from "../core/socket/pageConnection";
import type { Incident } from "./calls";

/** Of the nodes of one key together; those that fire first, then the latest change. */
const MOST = 200;
const MOST_NODES = 100;
const GATHER_MS = 50;
const NEWS_MS = 500;
const NONE: readonly Incident[] = [];

const useStore = create<{ marks: Readonly<Record<string, readonly Incident[]>> }>(() => ({ marks: {} }));
/** How many lanes show each node and key. */
const shown = new Map<string, number>();
let timer: number | undefined;
let leave: (() => void) | null = null;

const spell = (digest: string, key: string): string => JSON.stringify([digest, key]);

const address = (nodes: readonly string[], key: string): string =>
  `/api/incidents/?${new URLSearchParams({ nodes: nodes.join(","), key, limit: String(MOST) })}`;

async function ask(nodes: readonly string[], key: string): Promise<void> {
  const { results } = await read<{ results: Incident[] }>(address(nodes, key));
  const told = nodes.map((digest) => [
    spell(digest, key),
    results.filter((result) => result.digest === digest),
  ]);
  useStore.setState(({ marks }) => ({ marks: { ...marks, ...Object.fromEntries(told) } }));
}

/** What fails is asked again with the next change. */
function askAll(): void {
  const byKey = new Map<string, string[]>();
  for (const one of shown.keys()) {
    const [digest, key] = JSON.parse(one) as [string, string];
    byKey.set(key, [...(byKey.get(key) ?? []), digest]);
  }
  for (const [key, nodes] of byKey) ask(nodes.slice(0, MOST_NODES), key).catch(() => undefined);
}

function askAfter(ms: number): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(askAll, ms);
}

/** A lane shows the incidents of a node and a key, until the answer is called. */
export function showMarks(digest: string, key: string): () => void {
  const one = spell(digest, key);
  if (!shown.has(one)) askAfter(GATHER_MS);
  shown.set(one, (shown.get(one) ?? 0) + 1);
  leave ??= getConnection().followAlerts(({ type }) => type === "incidents" && askAfter(NEWS_MS));
  return () => {
    const left = (shown.get(one) ?? 1) - 1;
    if (left > 0) shown.set(one, left);
    else shown.delete(one);
    if (shown.size > 0) return;
    leave?.();
    leave = null;
  };
}

export const useMarks = (digest: string, key: string): readonly Incident[] =>
  useStore(({ marks }) => marks[spell(digest, key)] ?? NONE);
