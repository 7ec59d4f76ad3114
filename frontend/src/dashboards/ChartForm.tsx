import { useMemo, useState, type FormEvent } from "react";
import { api } from "../api/client";
import type { ChartDraft, ChartType } from "../api/dashboards";
import type { Plan } from "../api/types";
import { Dialog } from "../ui/Dialog";
import { useLoaded } from "../ui/useLoaded";
import { KeyField, LooksFields, NodeField, PlanField, TopFields, TypeField } from "./chartFields";
import { COLUMNS, ofOneKey, refusesKind, sized } from "./document";
import { digestsIn, everyoneIn, kindIn, type Known } from "./nodes";
import { Failure } from "../ui/Failure";

const loadPlans = async () => {
  const [plans, operators, streams] = await Promise.all([api.plans(), api.operators(), api.streams()]);
  return {
    plans,
    operators: new Map(operators.map((one) => [one.name, one])),
    streams: new Map(streams.map((one) => [one.name, one])),
  };
};

/** A type that suits a node, where what was chosen does not. */
function fitting(known: Known, node: string, wanted: ChartType): ChartType {
  const kind = kindIn(known, node);
  return refusesKind(wanted, kind) === null ? wanted : "lane";
}

/** What to begin with: a result of the plan that runs. */
function begun(plan: Plan | undefined): ChartDraft {
  const names = Object.keys(plan?.document.nodes ?? {});
  const node = plan?.document.results?.find((name) => names.includes(name)) ?? names[0] ?? "";
  return { plan: plan?.id ?? 0, node, type: "lane", title: "", key: null, place: sized("lane") };
}

interface Props {
  title: string;
  action: string;
  /** Null: a new one. */
  chart: ChartDraft | null;
  close: () => void;
  done: (chart: ChartDraft) => void;
}

interface Given {
  plans: Plan[];
  operators: Known["operators"];
  streams: Known["streams"];
}

/** What is chosen, and what follows from it. */
function useChoices(
  draft: ChartDraft,
  setDraft: (change: (held: ChartDraft) => ChartDraft) => void,
  { plans, operators, streams }: Given,
  before: ChartType | null,
) {
  const edit = (change: Partial<ChartDraft>) => setDraft((held) => ({ ...held, ...change }));
  const plan = plans.find((one) => one.id === draft.plan);
  const known = useMemo(() => (plan ? { plan, operators, streams } : null), [plan, operators, streams]);
  const retype = (type: ChartType) => edit({ type, ...(before === type ? {} : { place: resized(type) }) });
  const resized = (type: ChartType) => {
    const [, , wide, high] = sized(type);
    const [x, y] = draft.place;
    return [Math.min(x, COLUMNS - wide), y, wide, high] as ChartDraft["place"];
  };
  const chooseNode = (node: string, from: Known | null) => {
    if (!from) return;
    const type = fitting(from, node, draft.type);
    const key = everyoneIn(from, node) ? "*" : null;
    edit({
      plan: from.plan.id,
      node,
      type,
      key,
      digest: digestsIn(from).get(node) ?? null,
      place: resized(type),
    });
  };
  const choosePlan = (id: number) => {
    const found = plans.find((one) => one.id === id);
    if (found) chooseNode(begun(found).node, { plan: found, operators, streams });
  };
  return { edit, retype, chooseNode, choosePlan, known };
}

function Form({ action, chart, done, close, ...given }: Omit<Props, "title"> & Given) {
  const { plans } = given;
  const [draft, setDraft] = useState<ChartDraft>(
    () => chart ?? begun(plans.find((plan) => plan.running) ?? plans[0]),
  );
  const { edit, retype, chooseNode, choosePlan, known } = useChoices(
    draft,
    setDraft,
    given,
    chart?.type ?? null,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const digest = known
      ? (digestsIn(known).get(draft.node) ?? draft.digest ?? null)
      : (draft.digest ?? null);
    const everyone = known !== null && everyoneIn(known, draft.node);
    done({ ...draft, digest, key: everyone ? "*" : draft.key === "" ? null : draft.key });
  };
  return (
    <form className="chart-form" onSubmit={submit}>
      {plans.length === 0 && <p className="faint">There are no plans yet, whose nodes could be shown.</p>}
      <div className="row">
        <PlanField plans={plans} value={draft.plan} choose={choosePlan} />
        {known && <NodeField known={known} value={draft.node} choose={(node) => chooseNode(node, known)} />}
      </div>
      {known && <TypeField kind={kindIn(known, draft.node)} value={draft.type} choose={retype} />}
      {known && ofOneKey(draft.type) && <KeyField known={known} draft={draft} edit={edit} />}
      {!ofOneKey(draft.type) && <TopFields draft={draft} edit={edit} />}
      <LooksFields draft={draft} edit={edit} />
      <div className="row">
        <button type="submit" className="primary" disabled={draft.node === "" || !known}>
          {action}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** Which node is shown, and how. */
export function ChartForm({ title, ...rest }: Props) {
  const { value, failure } = useLoaded(loadPlans);
  return (
    <Dialog title={title} close={rest.close}>
      <Failure words={failure} />
      {value ? <Form {...rest} {...value} /> : <p className="faint">Loading.</p>}
    </Dialog>
  );
}
