/** The studio's one store. State is here; the actions that change it are in the files beside it. */
import { may, refusesMaking } from "../../core/api/rights";
import type { Notice } from "../../core/ui/Notice";
import { create } from "zustand";
import type {
  CheckAnswer,
  Me,
  NodeStatus,
  Operator,
  Placement,
  Plan,
  PlanDocument,
  Problem,
  Stream,
} from "../../core/api/types";
import { streamsOf } from "../../core/graph/steps";
import { emptyDocument, isSameDocument } from "../../core/graph/document";
import { start, type History } from "../../core/graph/history";
import { listHints } from "../../core/graph/hints";
import { memoizeLast } from "../../core/graph/memo";
import type { Catalogue } from "../../core/graph/wiring";

export interface StudioState extends Catalogue {
  loaded: boolean;
  me: Me | null;
  plan: Plan | null;
  history: History<PlanDocument>;
  saved: PlanDocument;
  selected: readonly string[];
  focus: { node: string; count: number } | null;
  check: { document: PlanDocument; answer: CheckAnswer } | null;
  checkFailure: string | null;
  /** What the document asks for and no event of the chosen sample has. */
  sampleWarnings: { document: PlanDocument; problems: readonly Problem[] } | null;
  /** By identity of what they compute, what the checks told of nodes. */
  checkedNodes: ReadonlyMap<string, { digest: string; known: boolean }>;
  statuses: Readonly<Record<string, NodeStatus>>;
  busy: "save" | "run" | "stop" | "copy" | null;
  notice: Notice | null;
  /** Typed text that cannot be read, in the view of that name: it is not in the document. */
  unread: { view: "text" | "json"; problems: Problem[] } | null;
  /** The placement that is chosen for the next run; null: the plan's own. */
  placement: Placement | null;
  /** Somebody deleted the plan while it was open. */
  gone: boolean;
}

const NEW = emptyDocument();

export function buildInitialState(): StudioState {
  return {
    operators: new Map<string, Operator>(),
    streams: new Map<string, Stream>(),
    loaded: false,
    me: null,
    plan: null,
    history: start(NEW),
    saved: NEW,
    selected: [],
    focus: null,
    check: null,
    checkFailure: null,
    sampleWarnings: null,
    checkedNodes: new Map(),
    statuses: {},
    busy: null,
    notice: null,
    unread: null,
    placement: null,
    gone: false,
  };
}

export const useStudio = create<StudioState>(() => buildInitialState());

export const get = useStudio.getState;
export const set = useStudio.setState;

/** Say that something is not done, and why. */
export function showRefusal(text: string): void {
  set({ notice: { tone: "bad", text } });
}

export const documentOf = (state: Pick<StudioState, "history">): PlanDocument => state.history.present;

export const isUnsaved = (state: StudioState): boolean => !isSameDocument(state.history.present, state.saved);

/** Whether nothing was drawn yet of a new plan: there is nothing to save. */
export const isUntouched = (state: StudioState): boolean =>
  state.loaded && state.plan === null && !isUnsaved(state);

const isEmpty = (document: PlanDocument): boolean => Object.keys(document.nodes).length === 0;

/** Whether two documents compute the same by their very nodes; where these lie does not matter. */
export function computesTheSame(a: PlanDocument, b: PlanDocument): boolean {
  return a.nodes === b.nodes && a.results === b.results;
}

/** The server's word on nodes that it has seen as they are, the browser's own on those that changed since. */
function mergedProblems(
  document: PlanDocument,
  operators: StudioState["operators"],
  check: StudioState["check"],
) {
  if (check === null) return listHints(document, operators);
  if (computesTheSame(check.document, document)) return check.answer.problems;
  const changed = (name: string): boolean => document.nodes[name] !== check.document.nodes[name];
  const problems = check.answer.problems.filter(({ node, code }) =>
    node === null ? code !== "no_nodes" || isEmpty(document) : node in document.nodes && !changed(node),
  );
  return [
    ...problems,
    ...listHints(document, operators).filter(({ node }) => node !== null && changed(node)),
  ];
}

const place = ({ node, port, code, field }: Problem): string => [node, port, code, field].join("\n");

/** The problems, and what the sample has to say about the same document besides. */
function withSampleWarnings(
  problems: Problem[],
  document: PlanDocument,
  sample: StudioState["sampleWarnings"],
): Problem[] {
  if (sample === null || !computesTheSame(sample.document, document)) return problems;
  const known = new Set(problems.map(place));
  return [...problems, ...sample.problems.filter((problem) => !known.has(place(problem)))];
}

const problemsFor = memoizeLast(mergedProblems);
const allProblems = memoizeLast(withSampleWarnings);

export function problemsOf(state: StudioState): Problem[] {
  const document = documentOf(state);
  return allProblems(problemsFor(document, state.operators, state.check), document, state.sampleWarnings);
}

/** The plan by whose right a document is looked at; a new one, or one that is gone, gives none. */
export const drawnIn = ({ plan, gone }: Pick<StudioState, "plan" | "gone">): number | null =>
  gone ? null : (plan?.id ?? null);

/** Whose plan this is, where it is another person's that only they may change; else null. */
export function foreignOwner({ plan }: Pick<StudioState, "plan">): string | null {
  if (!plan || may("edit", plan)) return null;
  return plan.owner;
}

/** Why this person cannot save the plan, or null. */
export function refusesChange(state: Pick<StudioState, "plan" | "me">): string | null {
  const owner = foreignOwner(state);
  const looks = refusesMaking(state.me);
  if (looks !== null) return owner === null ? looks : `This plan belongs to ${owner}. ${looks}`;
  return owner === null ? null : `This plan belongs to ${owner}; make a copy to change it.`;
}

/** Why this person cannot run or stop the plan, or null. */
export function refusesOperating(state: Pick<StudioState, "plan" | "me">): string | null {
  const { plan, me } = state;
  if (plan === null) return refusesMaking(me);
  if (may("operate", plan)) return null;
  return refusesChange(state) ?? `${plan.owner} owns this plan, and you may not run or stop it.`;
}

/** Why the plan cannot run now, or null. */
export function refusesRun(state: StudioState): string | null {
  const errors = problemsOf(state).filter((problem) => problem.severity !== "warning").length;
  if (!state.loaded) return "Loading.";
  if (state.gone) return "The plan was deleted.";
  const refusal = refusesOperating(state);
  if (refusal !== null) return refusal;
  if (state.unread !== null) return "The text has errors.";
  if (isEmpty(documentOf(state))) return "The plan has no nodes yet.";
  if (errors > 0) return errors === 1 ? "1 problem" : `${errors} problems`;
  if (state.check === null) return state.checkFailure ?? "The plan is being checked.";
  return state.busy === null ? null : "Wait a moment.";
}

/** The placement in which the plan would run now. */
export function placementOf(state: Pick<StudioState, "plan" | "placement">): Placement {
  return state.placement ?? state.plan?.placement ?? "isolated";
}

/** The stream that a new node reads at first: the one last used in the plan, else the only one there is. */
export function likelyStream(state: StudioState): string | undefined {
  const used = Object.values(documentOf(state).nodes).flatMap(streamsOf);
  const [only, another] = [...state.streams.keys()];
  return used.at(-1) ?? (another === undefined ? only : undefined);
}
