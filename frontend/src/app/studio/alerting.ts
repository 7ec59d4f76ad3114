/** Making alerts on nodes of the plan that is open. */
import { create } from "zustand";
import type { TestedNode } from "../../alerts/backTest";
import type { AlertTarget } from "../../alerts/calls";
import type { Parameters } from "../../alerts/AlertDialog";
import { refusesMaking } from "../../core/api/rights";
import type { PlanDocument } from "../../core/api/types";
import { changeNode, freeName, renameNode, setParameter, setResult } from "../../core/graph/edit";
import { addAt } from "../../core/graph/insert";
import { outputKind } from "../../core/graph/kinds";
import { planNumber } from "../../plans/drafts/planActions";
import { selectedNodes } from "../../plans/editor/selectionActions";
import { change, select } from "../../plans/editor/edits";
import { spotBeside } from "../../plans/editor/panels";
import { documentOf, get, refusesChange } from "../../plans/editor/store";
import { boxOf } from "../../plans/editor/view";

const OPERATOR = "alert";
const GAP = 96;

/** The node on which an alert is being made, if one is. */
export const useAlerting = create<{ node: string | null }>(() => ({ node: null }));

export const askAlert = (node: string | null): void => useAlerting.setState({ node });

/** A node as it is drawn now. */
export const testedNode = (node: string): TestedNode => ({
  draft_of: get().plan?.id ?? null,
  document: documentOf(get()),
  node,
});

const kindOf = (name: string) => {
  const { operators, streams } = get();
  return outputKind(documentOf(get()), name, operators, streams);
};

export const isNumber = (name: string): boolean => ["number", "ratio"].includes(kindOf(name));

/** Why there can be no alert on this node, or null. */
export function refusesAlert(name: string | undefined): string | null {
  if (name === undefined) return "Select one node first.";
  const looks = refusesMaking(get().me);
  if (looks !== null) return looks;
  if (isNumber(name)) return refusesChange(get());
  return kindOf(name) === "bool" ? null : "An alert needs a node that is true or false, or a number.";
}

export const selectedNode = (): string | undefined => {
  const names = selectedNodes();
  return names.length === 1 ? names[0] : undefined;
};

/** The plan with an alert node of these parameters behind a node. */
function withAlertNode(
  input: string,
  parameters: NonNullable<Parameters>,
): { document: PlanDocument; name: string } {
  const operator = get().operators.get(OPERATOR);
  const box = boxOf(get(), input);
  const at = spotBeside(box ? [box.x + box.width + GAP, box.y] : [0, 0], OPERATOR);
  const added = operator && addAt(documentOf(get()), operator, at, { from: input }, get());
  if (!added) throw new Error(`An alert does not fit behind ${input}.`);
  const name = freeName(added.document, `${input}_alert`);
  const renamed = renameNode(added.document, added.name, name);
  const document = Object.entries(parameters).reduce(
    (held, [parameter, value]) => setParameter(held, name, parameter, value),
    renamed,
  );
  // Only outputs, and what they need, run.
  return { document: document.results?.includes(name) ? document : setResult(document, name, true), name };
}

/** The number of the plan, with all of it saved that the alert needs. */
async function savedPlan(): Promise<number> {
  const { plan } = get();
  return plan !== null && refusesChange(get()) !== null ? plan.id : await planNumber();
}

/** The node that an earlier try added, with these parameters. */
function changeAlertNode(name: string, parameters: NonNullable<Parameters>): void {
  change((document) => changeNode(document, name, (node) => ({ ...node, params: { ...parameters } })));
}

function addAlertNode(input: string, parameters: NonNullable<Parameters>): string {
  const { document, name } = withAlertNode(input, parameters);
  change(() => document);
  select([name]);
  return name;
}

/** Watch a node of the plan; where there are parameters, an alert node behind it, which is told to `added`. */
export async function prepareAlert(
  input: string,
  parameters: Parameters,
  made: string | null,
  added: (name: string) => void,
): Promise<AlertTarget> {
  if (parameters === null) return { plan: await savedPlan(), node: input };
  if (made !== null && made in documentOf(get()).nodes) {
    changeAlertNode(made, parameters);
    return { plan: await savedPlan(), node: made };
  }
  const name = addAlertNode(input, parameters);
  added(name);
  return { plan: await savedPlan(), node: name };
}
