/** How the drawing differs from what runs. Nodes are compared by what they compute, so moving one is no change. */
import { memoizeLast } from "../../core/graph/memo";
import type { PlanDocument, PlanNode } from "../../core/api/types";
import { computeIdentities } from "../../core/graph/identity";
import { selectRunningNodes, type RunningNodes, type CheckedNodes } from "./runningNodes";
import { documentOf, refusesRun, type StudioState } from "./store";

export interface UnappliedChanges {
  /** Drawn nodes that compute something else than the node of that name that runs, or do not run yet. */
  nodes: ReadonlySet<string>;
  /** The running name by the drawn name, for nodes that were only renamed. */
  renamed: ReadonlyMap<string, string>;
  /** The number of running nodes that are no longer drawn. */
  removed: number;
}

const NONE: UnappliedChanges = { nodes: new Set(), renamed: new Map(), removed: 0 };

type Named = Pick<PlanNode, "name" | "digest">;

/** A node without a digest (not checked yet, or with problems) counts as unchanged. */
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

const compareWithRunningOnce = memoizeLast(
  (
    nodes: PlanDocument["nodes"],
    runs: readonly PlanNode[],
    all: RunningNodes,
    checked: CheckedNodes,
  ): UnappliedChanges => {
    const ids = computeIdentities(nodes);
    return compareWithRunning(
      Object.keys(nodes),
      runs,
      all,
      (name) => checked.get(ids.get(name) ?? "")?.digest,
    );
  },
);

/** The unapplied changes; none if the plan does not run, since all of it is a draft. */
export function selectUnappliedChanges(state: StudioState): UnappliedChanges {
  if (!state.plan?.running) return NONE;
  return compareWithRunningOnce(
    documentOf(state).nodes,
    state.plan.nodes,
    selectRunningNodes(state),
    state.checkedNodes,
  );
}

/** The number of changes that Apply would make; another placement counts as one. */
export function countUnappliedChanges(state: StudioState): number {
  const { nodes, renamed, removed } = selectUnappliedChanges(state);
  const moved = state.placement !== null && state.placement !== state.plan?.placement;
  return nodes.size + renamed.size + removed + (state.plan?.running === true && moved ? 1 : 0);
}

/** Why Run or Apply is disabled, or null; without changes Apply still restarts failed nodes. */
export function refusesApply(state: StudioState): string | null {
  const refusal = refusesRun(state);
  if (refusal !== null || !state.plan?.running || countUnappliedChanges(state) > 0) return refusal;
  const failed = Object.values(state.statuses).some(({ observed }) => observed === "failed");
  return failed ? null : "No changes to apply";
}
