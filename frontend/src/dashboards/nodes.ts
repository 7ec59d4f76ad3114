/** What is known of the nodes of a plan that a chart could show. Pure. */
import type { OutputKind, Plan } from "../core/api/types";
import type { ChartableNode } from "./document";
import {
  selectEveryoneNodes,
  selectGroupedNodes,
  outputKind,
  type Operators,
  type Streams,
} from "../core/graph/kinds";

export interface PlanContext {
  plan: Plan;
  operators: Operators;
  streams: Streams;
}

export function kindIn({ plan, operators, streams }: PlanContext, node: string): OutputKind {
  const running = plan.nodes.find((one) => one.name === node);
  return running?.kind ?? outputKind(plan.document, node, operators, streams);
}

/** What decides which charts can show a node; before there is one, all can. */
export function showableIn(known: PlanContext | null, node: string): ChartableNode {
  if (known === null) return { kind: "any", operator: "" };
  return { kind: kindIn(known, node), operator: known.plan.document.nodes[node]?.op ?? "" };
}

/** Whether the keys of a node are groups. */
export function groupedIn({ plan, operators }: PlanContext, node: string): boolean {
  return selectGroupedNodes(plan.document, operators).has(node);
}

/** Whether its only group is everyone. */
export function everyoneIn({ plan, operators }: PlanContext, node: string): boolean {
  return selectEveryoneNodes(plan.document, operators).has(node);
}

export function digestsIn({ plan }: PlanContext): ReadonlyMap<string, string> {
  return new Map(plan.nodes.map((node) => [node.name, node.digest]));
}
