import { useCallback, useRef, useState, type FormEvent } from "react";
import { inWords } from "../api/client";
import type { ChartDraft, ChartType } from "../api/dashboards";
import type { Plan } from "../api/types";
import { Dialog } from "../ui/Dialog";
import { useLoaded } from "../ui/useLoaded";
import { KeyField, LooksFields, NodeField, PlanField, TopFields, TypeField } from "./chartFields";
import { COLUMNS, ofOneKey, refusesKind, sized } from "./document";
import { knownPlan, likelyPlan } from "./finding";
import { digestsIn, everyoneIn, kindIn, type Known } from "./nodes";
import { Failure } from "../ui/Failure";
import { DialogFoot } from "../ui/DialogFoot";

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

interface Chosen {
  /** Null: there is no plan, or not any more. */
  known: Known | null;
  /** Why there is none. */
  failure: string | null;
}

/** The plan of the chart; of a new one the plan that it is likely of. */
async function atFirst(plan: number | null): Promise<Chosen> {
  try {
    return { known: plan === null ? await likelyPlan() : await knownPlan(plan), failure: null };
  } catch (error) {
    return { known: null, failure: inWords(error) };
  }
}

/** What is chosen, and what follows from it. */
function useChoices(first: Chosen, chart: ChartDraft | null) {
  const [draft, setDraft] = useState<ChartDraft>(() => chart ?? begun(first.known?.plan));
  const [{ known, failure }, setChosen] = useState(first);
  const asked = useRef(0);
  const edit = (change: Partial<ChartDraft>) => setDraft((held) => ({ ...held, ...change }));
  const resized = (type: ChartType) => {
    const [, , wide, high] = sized(type);
    const [x, y] = draft.place;
    return [Math.min(x, COLUMNS - wide), y, wide, high] as ChartDraft["place"];
  };
  const retype = (type: ChartType) =>
    edit({ type, ...(chart?.type === type ? {} : { place: resized(type) }) });
  const chooseNode = (node: string, from: Known) => {
    const type = fitting(from, node, draft.type);
    const key = everyoneIn(from, node) ? "*" : null;
    const digest = digestsIn(from).get(node) ?? null;
    edit({ plan: from.plan.id, node, type, key, digest, place: resized(type) });
  };
  const choosePlan = (id: number) => {
    const turn = (asked.current += 1);
    knownPlan(id).then(
      (from) => {
        if (turn !== asked.current) return;
        setChosen({ known: from, failure: null });
        chooseNode(begun(from.plan).node, from);
      },
      (error: unknown) =>
        turn === asked.current && setChosen((before) => ({ ...before, failure: inWords(error) })),
    );
  };
  return { draft, edit, retype, chooseNode, choosePlan, known, failure };
}

function Form({ action, chart, done, close, first }: Omit<Props, "title"> & { first: Chosen }) {
  const { draft, edit, retype, chooseNode, choosePlan, known, failure } = useChoices(first, chart);
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
      {known === null && failure === null && (
        <p className="faint">There are no plans yet, whose nodes could be shown.</p>
      )}
      <Failure words={failure} />
      <PlanField plan={known?.plan ?? null} choose={choosePlan} />
      {known && (
        <NodeField
          key={known.plan.id}
          known={known}
          value={draft.node}
          choose={(node) => chooseNode(node, known)}
        />
      )}
      {known && <TypeField kind={kindIn(known, draft.node)} value={draft.type} choose={retype} />}
      {known && ofOneKey(draft.type) && <KeyField known={known} draft={draft} edit={edit} />}
      {!ofOneKey(draft.type) && <TopFields draft={draft} edit={edit} />}
      <LooksFields draft={draft} edit={edit} />
      <DialogFoot disabled={draft.node === "" || !known} close={close}>
        {action}
      </DialogFoot>
    </form>
  );
}

/** Which node is shown, and how. */
export function ChartForm({ title, ...rest }: Props) {
  const plan = rest.chart?.plan ?? null;
  const { value } = useLoaded(useCallback(() => atFirst(plan), [plan]));
  return (
    <Dialog title={title} close={rest.close}>
      {value ? <Form {...rest} first={value} /> : <p className="faint">Loading.</p>}
    </Dialog>
  );
}
