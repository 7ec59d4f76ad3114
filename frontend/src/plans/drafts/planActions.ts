/** Named actions that talk to the server: load, check, save at once, copy, run, stop. */
import { api, describeError } from "../../core/api/client";
import type { Plan } from "../../core/api/types";
import { removeDraft, adoptDrafts } from "./localDrafts";
import { begin, flush, mergeHeldDraft } from "./saving";
import { getDraft, forgetDraft, setDraft } from "./store";
import { isSameDocument } from "../../core/graph/document";
import { record, start } from "../../core/graph/history";
import { describeUndrawable } from "../../core/api/shape";
import { forgetDrafts } from "../text/store";
import { addCheckedNodes } from "../editor/runningNodes";
import { copyDisplays } from "../editor/displays";
import { addResults } from "../editor/withResults";
import {
  computesTheSame,
  documentOf,
  drawnIn,
  buildInitialState,
  get,
  isUnsaved,
  isUntouched,
  placementOf,
  refusesChange,
  set,
} from "../editor/store";
import { layOutBare } from "../editor/firstLayout";
import { settleTyping } from "../editor/typing";

export async function load(id: number | null): Promise<void> {
  set(buildInitialState());
  forgetDraft();
  forgetDrafts();
  try {
    const [me, operators, streams, plan] = await Promise.all([
      api.me(),
      api.operators(),
      api.streams(),
      id === null ? null : api.plan(id),
    ]);
    set({
      me,
      operators: new Map(operators.map((operator) => [operator.name, operator])),
      streams: new Map(streams.map((stream) => [stream.name, stream])),
    });
    if (plan) adopt(plan);
    await takeUp(id);
    await layOutBare();
    set({ loaded: true });
    if (!isSameDocument(documentOf(get()), get().saved)) void flush();
    await check();
  } catch (error) {
    set({ notice: { tone: "bad", text: describeError(error) } });
  }
}

/** Go on where a page that is gone had stopped: what it had not saved is saved now. */
async function takeUp(id: number | null): Promise<void> {
  const { me, plan } = get();
  const left = me && refusesChange(get()) === null ? await adoptDrafts(id, me.username) : null;
  begin(left);
  if (!left) return;
  const held = plan && left.version !== null ? { ...plan, version: left.version } : plan;
  set({
    plan: held,
    saved: left.base,
    history: record(start(left.base), left.document, null, 0),
    notice: { tone: "good", text: "Restored unsaved changes." },
  });
}

function adopt(plan: Plan): void {
  const problem = describeUndrawable(plan.document);
  if (problem !== null) throw new Error(`${problem.message} Fix it over REST: PUT /api/plans/${plan.id}/.`);
  set({ plan, history: start(plan.document), saved: plan.document });
}

export async function check(): Promise<void> {
  const document = documentOf(get());
  try {
    const answer = await api.check(document, drawnIn(get()));
    if (computesTheSame(documentOf(get()), document))
      set({
        check: { document, answer },
        checkFailure: null,
        checkedNodes: addCheckedNodes(get().checkedNodes, document, answer.nodes),
      });
  } catch (error) {
    set({ checkFailure: `Could not check the plan: ${describeError(error)}` });
  }
}

/** Do it, while nothing else is done; the answer is what went wrong, which is told as well, or null. */
async function busily(what: "save" | "run" | "stop" | "copy", action: () => Promise<void>): Promise<unknown> {
  if (get().busy !== null) return null;
  set({ busy: what, notice: null });
  try {
    await action();
    return null;
  } catch (error) {
    set({ notice: { tone: "bad", text: describeError(error) } });
    return error;
  } finally {
    set({ busy: null });
  }
}

/** Whether all is saved now; where a choice is to be made it is not, and that is asked elsewhere. */
async function saved(): Promise<boolean> {
  await settleTyping();
  if (await flush()) return true;
  const { saveState, reason } = getDraft();
  if (saveState !== "conflict") throw new Error(reason ?? "Could not save the plan.");
  setDraft({ deciding: true });
  return false;
}

const NOTHING_YET = "Nothing to save yet. A plan saves automatically as soon as you draw.";

export function save(): Promise<unknown> {
  const refusal = refusesChange(get());
  if (refusal !== null) {
    set({ notice: { tone: "bad", text: refusal } });
    return Promise.resolve(null);
  }
  if (isUntouched(get())) {
    set({ notice: { tone: "good", text: NOTHING_YET } });
    return Promise.resolve(null);
  }
  return busily("save", async () => {
    if (!(await saved())) return;
    const text = get().unread === null ? "Saved." : "Saved, without the text that has errors.";
    set({ notice: { tone: "good", text } });
  });
}

/** Open another page, with everything saved before. */
export async function leaveFor(address: string): Promise<void> {
  await keepAll();
  window.location.assign(address);
}

export async function logOut(): Promise<void> {
  await keepAll();
  window.document.querySelector<HTMLFormElement>('form[action="/logout/"]')?.requestSubmit();
}

async function keepAll(): Promise<void> {
  await settleTyping();
  if (refusesChange(get()) === null && !isSameDocument(documentOf(get()), get().saved)) await flush();
}

/** The number of the plan, with everything saved. */
export async function planNumber(): Promise<number> {
  const refusal = refusesChange(get());
  if (refusal !== null) throw new Error(refusal);
  if (isUntouched(get())) throw new Error(NOTHING_YET);
  const done = await saved();
  const { plan } = get();
  if (!done || !plan) throw new Error("Could not save the plan.");
  return plan.id;
}

/** Make a plan of one's own from the document as it is on the screen, and open it. */
export function copy(): Promise<unknown> {
  return busily("copy", async () => {
    await settleTyping();
    const sent = documentOf(get());
    const document = addResults(sent);
    const plan = await api.createPlan({ name: document.name, document });
    await copyDisplays(plan.id, get().plan?.display ?? {});
    // What was drawn is in the copy: leaving this page loses nothing, and asks nothing.
    set({ saved: sent });
    if (get().gone) removeDraft(get().plan?.id ?? null);
    window.location.assign(`/plans/${plan.id}/${window.location.search}`);
  });
}

export function run(): Promise<unknown> {
  return busily("run", async () => {
    await settleTyping();
    if (isUnsaved(get()) && !(await saved())) return;
    const { plan } = get();
    if (plan) set({ plan: mergeHeldDraft(plan, await api.run(plan.id, placementOf(get()))), notice: null });
  });
}

export function stop(reason: string): Promise<unknown> {
  return busily("stop", async () => {
    const { plan } = get();
    if (plan) set({ plan: mergeHeldDraft(plan, await api.stop(plan.id, reason)), statuses: {} });
    // What ran is known of from now on, also where it was not when the plan was checked.
    void check();
  });
}
