/** Named actions that talk to the server: load, check, save, copy, run, stop. */
import { api, ApiError, inWords } from "../api/client";
import type { Plan, PlanDocument } from "../api/types";
import { record, start } from "../graph/history";
import { sinks } from "../graph/document";
import { computesTheSame, documentOf, fresh, get, isUnsaved, placementOf, refusesChange, set } from "./store";

export async function load(id: number | null): Promise<void> {
  set(fresh());
  try {
    const [me, operators, streams, plan] = await Promise.all([
      api.me(),
      api.operators(),
      api.streams(),
      id === null ? null : api.plan(id),
    ]);
    set({
      me,
      operators: new Map(operators.map((one) => [one.name, one])),
      streams: new Map(streams.map((one) => [one.name, one])),
      loaded: true,
    });
    if (plan) adopt(plan);
    await check();
  } catch (error) {
    set({ notice: { tone: "bad", text: inWords(error) } });
  }
}

function adopt(plan: Plan): void {
  set({ plan, history: start(plan.document), saved: plan.document });
}

export async function check(): Promise<void> {
  const document = documentOf(get());
  try {
    const answer = await api.check(document);
    if (computesTheSame(documentOf(get()), document))
      set({ check: { document, answer }, checkFailure: null });
  } catch (error) {
    set({ checkFailure: `The plan could not be checked: ${inWords(error)}` });
  }
}

/** The document as it is saved: with its results named. */
export function complete(document: PlanDocument): PlanDocument {
  return (document.results ?? []).length > 0 ? document : { ...document, results: sinks(document) };
}

function afterSaving(sent: PlanDocument, plan: Plan): void {
  set((state) => ({ plan, saved: sent, conflict: null, notice: state.notice }));
  const address = `/plans/${plan.id}/`;
  if (window.location.pathname !== address)
    window.history.replaceState(null, "", address + window.location.search);
}

async function put(version: number | undefined): Promise<boolean> {
  const sent = documentOf(get());
  const document = complete(sent);
  const { plan } = get();
  const change = { name: document.name, document };
  try {
    const saved = plan
      ? await api.savePlan(plan.id, { ...change, version: version ?? plan.version })
      : await api.createPlan(change);
    afterSaving(sent, saved);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 409 && plan) set({ conflict: await api.plan(plan.id) });
    else throw error;
    return false;
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
    set({ notice: { tone: "bad", text: inWords(error) } });
    return error;
  } finally {
    set({ busy: null });
  }
}

export function save(): Promise<unknown> {
  const refusal = refusesChange(get());
  if (refusal !== null) {
    set({ notice: { tone: "bad", text: refusal } });
    return Promise.resolve(null);
  }
  return busily("save", async () => {
    if (await put(undefined)) set({ notice: { tone: "good", text: "Saved." } });
  });
}

/** Make a plan of one's own from the document as it is on the screen, and open it. */
export function copy(): Promise<unknown> {
  return busily("copy", async () => {
    const sent = documentOf(get());
    const document = complete(sent);
    const made = await api.createPlan({ name: document.name, document });
    // What was drawn is in the copy: leaving this page loses nothing, and asks nothing.
    set({ saved: sent });
    window.location.assign(`/plans/${made.id}/${window.location.search}`);
  });
}

export function overwriteWithMine(): Promise<unknown> {
  return busily("save", async () => {
    await put(get().conflict?.version);
  });
}

/** Take the other person's version; one's own stays one undo away. */
export function reloadTheirs(): void {
  const theirs = get().conflict;
  if (!theirs) return;
  set((state) => ({
    plan: theirs,
    saved: theirs.document,
    history: record(state.history, theirs.document, null, Date.now()),
    selected: [],
    conflict: null,
  }));
}

export function run(): Promise<unknown> {
  return busily("run", async () => {
    if (isUnsaved(get()) && !(await put(undefined))) return;
    const { plan } = get();
    if (plan) set({ plan: await api.run(plan.id, placementOf(get())), notice: null });
  });
}

export function stop(): Promise<unknown> {
  return busily("stop", async () => {
    const { plan } = get();
    if (plan) set({ plan: await api.stop(plan.id), statuses: {} });
  });
}
