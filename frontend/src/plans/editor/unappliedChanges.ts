/** How what is drawn differs from what runs: by the very computations, so that places alone do not count. */
import { lastAnswer } from "../../core/graph/memo";
import type { PlanDocument, PlanNode } from "../../core/api/types";
import { identities } from "../../core/graph/identity";
import { selectRunningNodes, type RunningNodes, type CheckedNodes } from "./runningNodes";
import { documentOf, refusesRun, type StudioState } from "./store";

export interface UnappliedChanges {
  /** Nodes that are drawn and compute something else than what runs under their name, or do not run yet. */
  nodes: ReadonlySet<string>;
  /** By drawn name, how it is called where it runs, if it only has another name. */
  renamed: ReadonlyMap<string, string>;
  /** How many run that are not drawn any more. */
  removed: number;
}

const NONE: UnappliedChanges = { nodes: new Set(), renamed: new Map(), removed: 0 };

type Named = Pick<PlanNode, "name" | "digest">;

/** What the check says is believed as far as it goes: where it has no digests (yet, or for problems), all is as it was. */
export function compareWithRunning(
  drawn: readonly string[],
  runs: readonly Named[],
  { runs: behind, renamed }: RunningNodes<Named>,
  digestOf: (name: string) => string | undefined,
): UnappliedChanges {
  const differs = (name: string): boolean => {
    const digest = behind.get(name)?.digest;
    return digest === undefined || (digestOf(name) ?? digest) !== digest;
  };
  const named = [...renamed].map((name): [string, string] => [name, behind.get(name)?.name ?? name]);
  return {
    nodes: new Set(drawn.filter(differs)),
    renamed: new Map(named),
    removed: runs.filter(({ name }) => name !== "").length - behind.size,
  };
}

const compareWithRunningOnce = lastAnswer(
  (
    nodes: PlanDocument["nodes"],
    runs: readonly PlanNode[],
    all: RunningNodes,
    told: CheckedNodes,
  ): UnappliedChanges => {
    const ids = identities(nodes);
    return compareWithRunning(Object.keys(nodes), runs, all, (name) => told.get(ids.get(name) ?? "")?.digest);
  },
);

/** Of a plan that does not run nothing is pending: all of it is a draft. */
export function selectUnappliedChanges(state: StudioState): UnappliedChanges {
  if (!state.plan?.running) return NONE;
  return compareWithRunningOnce(
    documentOf(state).nodes,
    state.plan.nodes,
    selectRunningNodes(state),
    state.checkedNodes,
  );
}

/** How many changes Apply would bring; another placement is one. */
export function countUnappliedChanges(state: StudioState): number {
  const { nodes, renamed, removed } = selectUnappliedChanges(state);
  const moved = state.placement !== null && state.placement !== state.plan?.placement;
  return nodes.size + renamed.size + removed + (state.plan?.running === true && moved ? 1 : 0);
}

/** Why Run or Apply rests, or null; where nothing has changed, Apply still starts failed nodes again. */
export function refusesApply(state: StudioState): string | null {
  const refusal = refusesRun(state);
  if (refusal !== null || !state.plan?.running || countUnappliedChanges(state) > 0) return refusal;
  const failed = Object.values(state.statuses).some(({ observed }) => observed === "failed");
  return failed ? null : "No changes to apply";
}
