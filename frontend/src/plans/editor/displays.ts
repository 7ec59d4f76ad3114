/** How the nodes of the studio's plan are shown, and where a choice may be kept. */
import { useEffect } from "react";
import { call } from "../../core/api/client";
import { may } from "../../core/api/rights";
import type { Plan, PlanDocument } from "../../core/api/types";
import { findStreamField, type Operators, type Streams } from "../../core/graph/kinds";
import { AS_GUESSED, type Display } from "../../timechart/display";
import { limitsOf } from "../../core/graph/limits";
import { setLimits } from "../../timechart/limits";
import {
  fieldTarget,
  nodeTarget,
  saveDisplay,
  setDisplays,
  type DisplayOption,
} from "../../timechart/displays";
import { documentOf, get, set, useStudio } from "./store";

export type Displays = Readonly<Record<string, Display>>;

const keepOfStream = (name: string) => (display: Displays) => {
  const { streams } = get();
  const held = streams.get(name);
  if (held) set({ streams: new Map(streams).set(name, { ...held, display }) });
};

const keepOfPlan = (id: number) => (display: Displays) => {
  const held = get().plan;
  if (held?.id === id) set({ plan: { ...held, display } });
};

/** How a node is shown: as the plan says, else as the stream whose field it is of. */
export function shownAs(
  node: string,
  document: PlanDocument,
  { operators, streams, plan }: { operators: Operators; streams: Streams; plan: Plan | null },
): DisplayOption {
  const behind = findStreamField(document, node, operators);
  const stream = streams.get(behind?.stream ?? "");
  const own = plan?.display[node];
  const common = behind === null ? undefined : stream?.display[behind.field];
  return {
    display: own ?? common ?? AS_GUESSED,
    overridden: own !== undefined,
    targets: [
      ...(stream && behind && may("edit", stream)
        ? [fieldTarget(stream.name, behind.field, keepOfStream(stream.name))]
        : []),
      ...(plan && may("edit", plan) ? [nodeTarget(plan.id, node, keepOfPlan(plan.id))] : []),
    ],
  };
}

/** A node that is renamed looks as it did; the old name keeps its choice for as long as the rename may be undone. */
export function keepDisplay(old: string, name: string): void {
  const { plan } = get();
  const display = plan?.display[old];
  if (plan && display && may("edit", plan))
    void saveDisplay(nodeTarget(plan.id, name, keepOfPlan(plan.id)), display).catch(() => undefined);
}

/** What was chosen for the nodes of a plan, for another one, whose nodes may have other names. */
export async function copyDisplays(
  plan: number,
  displays: Displays,
  names: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const chosen = Object.entries(displays).map(([node, display]) => [names.get(node) ?? node, display]);
  if (chosen.length === 0) return;
  const change = { display: Object.fromEntries(chosen) as Displays };
  const answer = await call<{ display: Displays }>("PATCH", `/api/plans/${plan}/display/`, change);
  keepOfPlan(plan)(answer.display);
}

/** Keep what lanes and nodes look up in step with plan and streams. */
export function useDisplaysOfPlan(): void {
  const nodes = useStudio((state) => documentOf(state).nodes);
  const operators = useStudio((state) => state.operators);
  const streams = useStudio((state) => state.streams);
  const plan = useStudio((state) => state.plan);
  useEffect(() => {
    const document = documentOf(get());
    const known = { operators, streams, plan };
    setLimits(limitsOf(document));
    setDisplays(Object.fromEntries(Object.keys(nodes).map((node) => [node, shownAs(node, document, known)])));
  }, [nodes, operators, streams, plan]);
}
