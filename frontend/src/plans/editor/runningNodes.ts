/** What runs behind what is drawn: by what is computed, since a name is a label; else by the name. */
import type { CheckAnswer, NodeStatus, PlanDocument, PlanNode } from "../../core/api/types";
import { identities } from "../../core/graph/identity";
import { lastAnswer } from "../../core/graph/memo";
import { documentOf, type StudioState } from "./store";

/** By identity, what the checks have told of nodes while the page was open. */
export type CheckedNodes = StudioState["checkedNodes"];

/** What was told, and what a check tells of the nodes of its document. */
export function addCheckedNodes(
  told: CheckedNodes,
  document: PlanDocument,
  nodes: CheckAnswer["nodes"],
): CheckedNodes {
  const ids = identities(document.nodes);
  const after = new Map(told);
  for (const [name, { digest, known }] of Object.entries(nodes)) {
    const id = ids.get(name);
    if (id !== undefined && digest !== null) after.set(id, { digest, known });
  }
  return after;
}

type Runs = Pick<PlanNode, "name" | "digest">;

export interface RunningNodes<N extends Runs = PlanNode> {
  /** By the name under which it is drawn, what runs of it. */
  readonly runs: ReadonlyMap<string, N>;
  /** Drawn names of what runs under another one. */
  readonly renamed: ReadonlySet<string>;
  /** By the name under which it runs, how it is drawn. */
  readonly drawn: ReadonlyMap<string, string>;
}

/** Each that runs is taken once: where name and digest agree, by the digest alone, by the name alone. */
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

const matchRunningNodesOnce = lastAnswer(
  (nodes: PlanDocument["nodes"], running: readonly PlanNode[], told: CheckedNodes) => {
    const ids = identities(nodes);
    return matchRunningNodes(Object.keys(nodes), running, (name) => told.get(ids.get(name) ?? "")?.digest);
  },
);

const NOTHING: readonly PlanNode[] = [];

type DrawnState = Pick<StudioState, "history" | "plan" | "checkedNodes">;

/** Of a plan that does not run nothing is applied. */
export function selectRunningNodes(state: DrawnState): RunningNodes {
  const { nodes } = documentOf(state);
  return matchRunningNodesOnce(nodes, state.plan?.running ? state.plan.nodes : NOTHING, state.checkedNodes);
}

/** What runs of a node that is drawn. */
export const findRunningNode = (state: DrawnState, name: string): PlanNode | undefined =>
  selectRunningNodes(state).runs.get(name);

/** What was heard last of what runs of a node. */
export function statusOf(
  state: DrawnState & Pick<StudioState, "statuses">,
  name: string,
): NodeStatus | undefined {
  return state.statuses[findRunningNode(state, name)?.name ?? name];
}

function findCheckedNode(state: DrawnState, name: string) {
  return state.checkedNodes.get(identities(documentOf(state).nodes).get(name) ?? "");
}

/** Whether a node's timelines can be asked for: it runs or ran, here or in another plan. */
export function isKnown(state: DrawnState, name: string): boolean {
  return findRunningNode(state, name) !== undefined || findCheckedNode(state, name)?.known === true;
}

/** The digest under which a node's timelines are found: what runs of it, else what the check says. */
export function digestOf(state: DrawnState, name: string): string | null {
  return findRunningNode(state, name)?.digest ?? findCheckedNode(state, name)?.digest ?? null;
}
