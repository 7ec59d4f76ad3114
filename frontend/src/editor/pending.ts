/** How what is drawn differs from what runs: by the very computations, so that names and places alone do not count. */
import type { CheckAnswer, PlanNode } from "../api/types";
import { lastAnswer } from "../graph/memo";
import { documentOf, type StudioState } from "./store";

export interface Pending {
  /** Nodes that are drawn and compute something else than what runs under their name, or do not run yet. */
  nodes: ReadonlySet<string>;
  /** How many run that are not drawn any more. */
  removed: number;
}

const NONE: Pending = { nodes: new Set(), removed: 0 };

/** What the check says is believed as far as it goes: where it has no digests (yet, or for problems), all is as it was. */
export function pendingOf(
  drawn: readonly string[],
  runs: readonly Pick<PlanNode, "name" | "digest">[],
  checked: CheckAnswer["nodes"] | null,
): Pending {
  const named = new Map(runs.filter(({ name }) => name !== "").map(({ name, digest }) => [name, digest]));
  const differs = (name: string): boolean => {
    const digest = named.get(name);
    if (digest === undefined) return true;
    return (checked?.[name]?.digest ?? digest) !== digest;
  };
  const shown = new Set(drawn);
  return {
    nodes: new Set(drawn.filter(differs)),
    removed: [...named.keys()].filter((name) => !shown.has(name)).length,
  };
}

const pendingFor = lastAnswer(
  (
    document: ReturnType<typeof documentOf>,
    runs: readonly PlanNode[],
    checked: CheckAnswer["nodes"] | null,
  ): Pending => pendingOf(Object.keys(document.nodes), runs, checked),
);

/** Of a plan that does not run nothing is pending: all of it is a draft. */
export function pending(state: StudioState): Pending {
  if (!state.plan?.running) return NONE;
  return pendingFor(documentOf(state), state.plan.nodes, state.check?.answer.nodes ?? null);
}

/** How many changes Apply would bring; another placement is one. */
export function pendingCount(state: StudioState): number {
  const { nodes, removed } = pending(state);
  const moved = state.placement !== null && state.placement !== state.plan?.placement;
  return nodes.size + removed + (state.plan?.running === true && moved ? 1 : 0);
}
