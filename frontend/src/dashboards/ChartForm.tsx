import { useCallback, useState, type FormEvent } from "react";
import { describeError } from "../core/api/client";
import type { ChartDraft, ChartType } from "../core/api/dashboards";
import { Dialog } from "../core/ui/Dialog";
import { useLoaded } from "../core/ui/useLoaded";
import { refusesLink } from "./chartLinks";
import { LinkFields } from "./LinkFields";
import { OptionFields } from "./optionFields";
import { KeyField, LooksFields, NodeField, PlanField, TopFields, TypeField } from "./chartFields";
import { COLUMNS, defaultType, hasNode, hasOption, ofOneKey, refusesNode, sized } from "./document";
import { knownPlan, likelyPlan } from "./chartOptions";
import { createPlanReader, type Read } from "./planReader";
import { digestsIn, everyoneIn, groupedIn, showableIn, type PlanContext } from "./nodes";
import { Failure } from "../core/ui/Failure";
import { DialogFoot } from "../core/ui/DialogFoot";
import { EVERYONE } from "../core/search/keySource";

/** A type that suits a node, where what was chosen does not. */
function fitting(known: PlanContext, node: string, wanted: ChartType | null): ChartType {
  const showable = showableIn(known, node);
  const hasGroups = groupedIn(known, node) && !everyoneIn(known, node);
  return wanted !== null && refusesNode(wanted, showable) === null
    ? wanted
    : defaultType(showable, hasGroups);
}

/** What to begin with: a result of the plan that runs. */
function begun(known: PlanContext | null): ChartDraft {
  const plan = known?.plan;
  const names = Object.keys(plan?.document.nodes ?? {});
  const node = plan?.document.results?.find((name) => names.includes(name)) ?? names[0] ?? "";
  const type = known === null || node === "" ? "lane" : fitting(known, node, null);
  return { plan: plan?.id ?? 0, node, type, title: "", key: null, place: sized(type) };
}

interface Props {
  title: string;
  action: string;
  /** Null: a new one. */
  chart: ChartDraft | null;
  close: () => void;
  done: (chart: ChartDraft) => void;
}

/** Without a plan: there is none, or not any more. */
type ChosenPlan = Read<PlanContext | null>;

/** The plan of the chart; of a new one the plan that it is likely of. */
async function atFirst(plan: number | null): Promise<ChosenPlan> {
  try {
    return {
      known: plan === null ? await likelyPlan() : await knownPlan(plan),
      pending: null,
      failure: null,
    };
  } catch (error) {
    return { known: null, pending: null, failure: describeError(error) };
  }
}

/** As large as charts of the type are, where the chart is. */
function resized({ place: [x, y] }: ChartDraft, type: ChartType): ChartDraft["place"] {
  const [, , wide, high] = sized(type);
  return [Math.min(x, COLUMNS - wide), y, wide, high];
}

/** Why the chart cannot be added yet, or null. */
function refusalOf(
  { known, pending }: ChosenPlan,
  { type, node, text = "", alert, link }: ChartDraft,
): string | null {
  const refusal = refusesLink(link);
  if (refusal !== null) return refusal;
  if (type === "text") return text.trim() === "" ? "Write some words first." : null;
  if (type === "alert_keys") return alert == null ? "Choose an alert first." : null;
  if (!hasNode(type)) return null;
  if (pending !== null) return `“${pending}” is still loading.`;
  if (known === null) return "Choose a plan first.";
  return node === "" ? "Choose a node first." : null;
}

/** What is chosen, and what follows from it. */
function useChoices(first: ChosenPlan, chart: ChartDraft | null) {
  const [draft, setDraft] = useState<ChartDraft>(() => chart ?? begun(first.known));
  const [{ known, pending, failure }, setChosen] = useState(first);
  // Until a type is chosen, each node is proposed the one that suits it.
  const [wanted, want] = useState<ChartType | null>(chart?.type ?? null);
  const edit = (change: Partial<ChartDraft>) => setDraft((held) => ({ ...held, ...change }));
  const retype = (type: ChartType) => {
    want(type);
    setDraft((held) => ({
      ...held,
      type,
      place: chart?.type === type ? held.place : resized(held, type),
    }));
  };
  const chooseNode = (node: string, from: PlanContext) => {
    const key = everyoneIn(from, node) ? EVERYONE : null;
    const digest = digestsIn(from).get(node) ?? null;
    setDraft((held) => {
      const type = fitting(from, node, wanted);
      return { ...held, plan: from.plan.id, node, type, key, digest, place: resized(held, type) };
    });
  };
  const [choosePlan] = useState(() =>
    createPlanReader<PlanContext | null>(
      knownPlan,
      (change) => setChosen((before) => ({ ...before, ...change })),
      (from) => from && chooseNode(begun(from).node, from),
    ),
  );
  return { draft, edit, retype, chooseNode, choosePlan, known, pending, failure };
}

function Form({ action, chart, done, close, first }: Omit<Props, "title"> & { first: ChosenPlan }) {
  const { draft, edit, retype, chooseNode, choosePlan, known, pending, failure } = useChoices(first, chart);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const digest = known
      ? (digestsIn(known).get(draft.node) ?? draft.digest ?? null)
      : (draft.digest ?? null);
    if (!hasNode(draft.type)) return done({ ...draft, plan: 0, node: "", digest: null, key: null });
    const everyone = known !== null && everyoneIn(known, draft.node);
    done({ ...draft, digest, key: everyone ? EVERYONE : draft.key === "" ? null : draft.key });
  };
  return (
    <form className="chart-form" onSubmit={submit}>
      {known === null && failure === null && hasNode(draft.type) && (
        <p className="faint">No plans yet. A chart shows a node of a plan.</p>
      )}
      <Failure words={failure} />
      {hasNode(draft.type) && (
        <PlanField name={pending ?? known?.plan.name ?? ""} choose={(plan) => void choosePlan(plan)} />
      )}
      {known && hasNode(draft.type) && (
        <NodeField
          key={known.plan.id}
          known={known}
          value={draft.node}
          choose={(node) => chooseNode(node, known)}
        />
      )}
      <TypeField shown={showableIn(known, draft.node)} value={draft.type} choose={retype} />
      {known && ofOneKey(draft.type) && <KeyField known={known} draft={draft} edit={edit} />}
      {hasOption(draft.type, "top") && <TopFields draft={draft} edit={edit} />}
      <OptionFields draft={draft} edit={edit} />
      <LooksFields draft={draft} edit={edit} />
      <LinkFields draft={draft} edit={edit} />
      <DialogFoot refusal={refusalOf({ known, pending, failure }, draft)} close={close}>
        {action}
      </DialogFoot>
    </form>
  );
}

/** Which node is shown, and how. */
export function ChartForm({ title, ...rest }: Props) {
  const plan = rest.chart && hasNode(rest.chart.type) ? rest.chart.plan : null;
  const { value } = useLoaded(useCallback(() => atFirst(plan), [plan]));
  return (
    <Dialog title={title} close={rest.close}>
      {value ? <Form {...rest} first={value} /> : <p className="faint">Loading.</p>}
    </Dialog>
  );
}
