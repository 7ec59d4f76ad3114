/** Matches drawn nodes with running ones: by what they compute, else by name. */
import type { CheckAnswer, NodeStatus, PlanDocument, PlanNode } from "../../core/api/types";
import { computeIdentities } from "../../core/graph/identity";
import { memoizeLast } from "../../core/graph/memo";
import { documentOf, type StudioState } from "./store";

/** By identity, the nodes that checks have reported while the page was open. */
export type CheckedNodes = StudioState["checkedNodes"];

/** Add the nodes that a check reports for its document. */
export function addCheckedNodes(
  checked: CheckedNodes,
  document: PlanDocument,
  nodes: CheckAnswer["nodes"],
): CheckedNodes {
  const ids = computeIdentities(document.nodes);
  const after = new Map(checked);
  for (const [name, { digest, known }] of Object.entries(nodes)) {
    const id = ids.get(name);
    if (id !== undefined && digest !== null) after.set(id, { digest, known });
  }
  return after;
}

type Runs = Pick<PlanNode, "name" | "digest">;

export interface RunningNodes<N extends Runs = PlanNode> {
  /** The running node by the drawn name. */
  readonly runs: ReadonlyMap<string, N>;
  /** Drawn names of nodes that run under another name. */
  readonly renamed: ReadonlySet<string>;
  /** The drawn name by the name of the running node. */
  readonly drawn: ReadonlyMap<string, string>;
}

/** Match each running node once: by name and digest, then by digest, then by name. */
export function matchRunningNodes<N extends Runs>(
  names: readonly string[],
  running: readonly N[],
  digestOf: (name: string) => string | undefined,
): RunningNodes<N> {
  const left = new Map(running.filter(({ name }) => name !== "").map((node) => [node.name, node]));
  const runs = new Map<string, N>();
  const take = (name: string, node: N | undefined): boolean => {
    if (!node || runs.has(name)) return false;
    runs.set(name, node);
    left.delete(node.name);
    return true;
  };
  const digests = new Map(names.map((name) => [name, digestOf(name)]));
  const agrees = (name: string, node: N | undefined): boolean =>
    node !== undefined && (digests.get(name) ?? node.digest) === node.digest;
  for (const name of names) if (agrees(name, left.get(name))) take(name, left.get(name));
  const renamed = names.filter((name) => {
    const digest = digests.get(name);
    return (
      !runs.has(name) &&
      take(
        name,
        [...left.values()].find((node) => node.digest === digest),
      )
    );
  });
  for (const name of names) take(name, left.get(name));
  const drawn = new Map([...runs].map(([name, node]) => [node.name, name]));
  return { runs, renamed: new Set(renamed), drawn };
}

const matchRunningNodesOnce = memoizeLast(
  (nodes: PlanDocument["nodes"], running: readonly PlanNode[], told: CheckedNodes) => {
    const ids = computeIdentities(nodes);
    return matchRunningNodes(Object.keys(nodes), running, (name) => told.get(ids.get(name) ?? "")?.digest);
  },
);

const NOTHING: readonly PlanNode[] = [];

type DrawnState = Pick<StudioState, "history" | "plan" | "checkedNodes">;

/** The running nodes behind the drawing; none if the plan does not run. */
export function selectRunningNodes(state: DrawnState): RunningNodes {
  const { nodes } = documentOf(state);
  return matchRunningNodesOnce(nodes, state.plan?.running ? state.plan.nodes : NOTHING, state.checkedNodes);
}

/** The running node behind a drawn one. */
export const findRunningNode = (state: DrawnState, name: string): PlanNode | undefined =>
  selectRunningNodes(state).runs.get(name);

/** The newest status of the running node behind a drawn one. */
export function statusOf(
  state: DrawnState & Pick<StudioState, "statuses">,
  name: string,
): NodeStatus | undefined {
  return state.statuses[findRunningNode(state, name)?.name ?? name];
}

function findCheckedNode(state: DrawnState, name: string) {
  return state.checkedNodes.get(computeIdentities(documentOf(state).nodes).get(name) ?? "");
}

/** Whether a node has timelines: it runs or ran, here or in another plan. */
export function isKnown(state: DrawnState, name: string): boolean {
  return findRunningNode(state, name) !== undefined || findCheckedNode(state, name)?.known === true;
}

/** The digest of a node's timelines: that of the running node, else that of the check. */
export function digestOf(state: DrawnState, name: string): string | null {
  return findRunningNode(state, name)?.digest ?? findCheckedNode(state, name)?.digest ?? null;
}
