/**
 * Saving by itself: one save at a time, each sent until it is answered, then what others did is brought in. The
 * steps of undo and redo stay one's own.
 */
import { ApiError, describeError, isTransient } from "../../core/api/client";
import type { PlanDocument } from "../../core/api/document";
import type { Plan } from "../../core/api/types";
import { drafts, type Choice, type Save } from "../../core/api/versions";
import { addResults } from "../editor/withResults";
import { documentOf, get, refusesChange, set } from "../editor/store";
import { isSameDocument } from "../../core/graph/document";
import { rebaseHistory, record } from "../../core/graph/history";
import { applyChanges, leadsNowhere, type Leading } from "../../core/graph/patch";
import { describeUndrawable } from "../../core/api/shape";
import { removeDraft, storeDraft, type LocalDraft, type PendingSave } from "./localDrafts";
import { getDraft, setDraft } from "./store";

const QUIET_MS = 700;
const LONGEST_MS = 1600;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 15_000;
/** What a browser sends of a page that is being closed. */
const LAST_WORDS = 60_000;

let sent: PendingSave | null = null;
let choices: Pick<Save, "choices" | "against"> = {};
let withBase = false;
/** The greatest version of the draft that was heard of. */
let heard = 0;
let timer: number | undefined;
let since: number | null = null;
let failures = 0;
let working: Promise<boolean> | null = null;

const isBehind = (): boolean => heard > (get().plan?.version ?? heard);

const isDirty = (): boolean => sent !== null || !isSameDocument(documentOf(get()), get().saved);

/** Begin anew, with what a page that is gone has left, if there is any. */
export function begin(left: LocalDraft | null): void {
  window.clearTimeout(timer);
  [sent, choices, withBase, heard, since, failures, working] = [
    left?.sent ?? null,
    {},
    false,
    0,
    null,
    0,
    null,
  ];
}

function keepHere(): boolean {
  const { me, plan, saved } = get();
  if (!me) return false;
  const kept = { user: me.username, at: Date.now(), version: plan?.version ?? null, base: saved };
  return storeDraft(plan?.id ?? null, { ...kept, document: documentOf(get()), sent });
}

function nextSave(): PendingSave {
  const screen = documentOf(get());
  const edit = crypto.getRandomValues(new Uint32Array(3)).join("-");
  return { edit, version: get().plan?.version ?? null, screen, document: addResults(screen) };
}

function bodyOf(one: PendingSave, version: number): Save {
  const { document, edit } = one;
  const base = withBase ? { base: get().saved } : {};
  return { name: document.name, document, edit, version, ...base, ...choices };
}

/** Somebody drew something: it is kept here at once, and sent when the hand rests, or at the latest in two seconds. */
export function changed(): void {
  if (!get().loaded || refusesChange(get()) !== null) return;
  if (get().gone) return void keepHere();
  if (!isDirty()) {
    if (working === null) settle();
    return;
  }
  keepHere();
  if (getDraft().saveState === "conflict") return;
  if (getDraft().saveState !== "offline") setDraft({ saveState: "unsaved" });
  const now = Date.now();
  since ??= now;
  later(Math.min(QUIET_MS, Math.max(0, since + LONGEST_MS - now)));
}

function later(ms: number): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void flush(), ms);
}

function settle(): void {
  window.clearTimeout(timer);
  [since, failures] = [null, 0];
  removeDraft(get().plan?.id ?? null);
  removeDraft(null);
  setDraft({ saveState: "saved", reason: null, merge: null, deciding: false });
}

/** Save now; the answer is whether everything is saved. Of a new plan nothing is, until something is drawn. */
export function flush(): Promise<boolean> {
  working ??= work().finally(() => {
    working = null;
    if (getDraft().saveState === "saved" && isDirty()) changed();
    else if (getDraft().saveState === "saved" && isBehind()) void flush();
  });
  return working;
}

async function work(): Promise<boolean> {
  window.clearTimeout(timer);
  try {
    // A new plan comes to be with the first thing that is drawn: who only looks leaves none behind.
    while (isDirty() || isBehind()) {
      if (isDirty()) await send();
      else await pull();
    }
    settle();
    return true;
  } catch (error) {
    await failed(error);
    return false;
  }
}

async function send(): Promise<void> {
  since = null;
  sent ??= nextSave();
  setDraft({ saveState: "saving" });
  keepHere();
  const { plan } = get();
  if (plan === null || sent.version === null) await create(sent);
  else answered(sent, await drafts.save(plan.id, bodyOf(sent, sent.version)));
  [sent, choices, withBase] = [null, {}, false];
}

async function create(one: PendingSave): Promise<void> {
  const { document, edit, screen } = one;
  const plan = await drafts.create({ name: document.name, document, edit });
  removeDraft(null);
  // Where the answer to an earlier try was lost, somebody may have gone on with it.
  heard = plan.version;
  set({ plan: { ...plan, version: 1 }, saved: screen });
  window.history.replaceState(null, "", `/plans/${plan.id}/${window.location.search}`);
}

/** A plan as the server tells it, with the draft that this page stands on: what is newer is brought in by itself. */
export function mergeHeldDraft(held: Plan, fetched: Plan): Plan {
  const { version, document, name, saved_by, saved_at } = held;
  if (fetched.version > version)
    window.setTimeout(() => receiveOthersSave(fetched.version, fetched.saved_by));
  return { ...fetched, version, document, name, saved_by, saved_at };
}

function answered(one: PendingSave, saved: Awaited<ReturnType<typeof drafts.save>>): void {
  const { changes, words, ...plan } = saved;
  if (leadsNowhere(changes)) return set({ plan, saved: one.screen });
  bringIn(changes, saved.document, one.screen);
  set({ plan });
  tell(words);
}

/** What others did comes into the document, and into every step that can be undone or redone. */
function bringIn(leading: Leading, document: PlanDocument, screen: PlanDocument): void {
  const problem = describeUndrawable(document);
  if (problem !== null) throw new Error(`The version that others saved cannot be shown. ${problem.message}`);
  const bring = (state: PlanDocument): PlanDocument => applyChanges(state, leading);
  set((state) => {
    const present = state.history.present;
    const now = isSameDocument(present, screen) ? document : bring(present);
    return {
      saved: document,
      history: rebaseHistory(state.history, now, bring),
      // What is selected and is no node (a group, a comment) is left to the canvas.
      selected: state.selected
        .filter((name) => !(name in present.nodes) || (leading.renames[name] ?? name) in now.nodes)
        .map((name) => leading.renames[name] ?? name),
    };
  });
}

let who = "Somebody";

function tell(words: string): void {
  if (words !== "") setDraft({ news: { who, words } });
}

async function pull(): Promise<void> {
  const { plan } = get();
  if (!plan) return;
  const answer = await drafts.since(plan.id, plan.version);
  heard = answer.version;
  // Without the way from there to here, what was drawn meanwhile goes first, and the server merges it.
  if (answer.version <= plan.version || (answer.changes === null && isDirty())) return;
  const { document, version, saved_by, saved_at } = answer;
  bringIn(answer.changes ?? { renames: {}, changes: [] }, document, get().saved);
  set({ plan: { ...plan, document, version, saved_by, saved_at, name: document.name } });
  tell(answer.words);
}

/** Somebody else saved this plan. */
export function receiveOthersSave(version: number, by: string | null): void {
  heard = version;
  // One's own save may be heard of before it is answered: whoever works already looks again in the end.
  if (by !== null && working === null) who = by;
  if (isBehind() && getDraft().saveState !== "conflict") void flush();
}

/** Somebody deleted the plan: what is drawn is on this page only, until it is kept as another one. */
export function markDeleted(): void {
  set({ gone: true });
  setDraft({ saveState: "refused", reason: "This plan was deleted. Your draft is still on this page." });
}

async function failed(error: unknown): Promise<void> {
  if (isTransient(error)) {
    failures += 1;
    setDraft({ saveState: "offline", reason: describeError(error) });
    return later(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1)));
  }
  const one = sent;
  sent = null;
  choices = {};
  if (error instanceof ApiError && error.code === "base_unknown" && !withBase) {
    withBase = true;
    sent = one;
    return later(0);
  }
  if (one && error instanceof ApiError && error.code === "conflict") return ask();
  if (error instanceof ApiError && error.status === 404) return markDeleted();
  setDraft({ saveState: "refused", reason: describeError(error) });
}

/** Both changed the same: nothing was saved, and the person chooses. */
async function ask(): Promise<void> {
  const { plan } = get();
  if (!plan) return;
  try {
    const merge = await drafts.merge(plan.id, bodyOf(nextSave(), plan.version));
    if (merge.conflicts.length === 0) return later(0);
    setDraft({ saveState: "conflict", merge, deciding: true, reason: null });
  } catch (error) {
    setDraft({ saveState: "refused", reason: describeError(error) });
  }
}

export function resolveConflict(made: Choice[]): Promise<boolean> {
  choices = { choices: made, against: getDraft().merge?.version };
  setDraft({ saveState: "unsaved", merge: null, deciding: false });
  return flush();
}

/** Take another document for the draft, as one step that can be undone; the answer is whether it was done. */
export async function replaceDraft(ask: () => Promise<Plan>): Promise<boolean> {
  if (!(await flush())) return false;
  working = ask()
    .then((plan) => {
      const { history } = get();
      const next = record(history, plan.document, null, Date.now());
      set({ plan, saved: plan.document, history: next, selected: [] });
      return true;
    })
    .finally(() => {
      working = null;
      if (isBehind()) void flush();
    });
  return working;
}

/** The page is being closed: send what there is, and keep it here for the next one. */
export function sendBeforeClosing(): void {
  if (!get().loaded || refusesChange(get()) !== null || !isDirty()) return;
  const { plan } = get();
  sent ??= nextSave();
  keepHere();
  if (JSON.stringify(sent.document).length > LAST_WORDS) return;
  const { document, edit, version } = sent;
  const going =
    plan === null || version === null
      ? drafts.create({ name: document.name, document, edit }, true)
      : drafts.save(plan.id, bodyOf(sent, version), true);
  going.catch(() => undefined);
}

/** The network is back, or the person wants to know. */
export function retrySaving(): void {
  failures = 0;
  if (isDirty() || isBehind()) void flush();
}

/** Whether what is drawn would be lost with the page. */
export function hasUnsavedChanges(): boolean {
  if (isSameDocument(documentOf(get()), get().saved)) return false;
  if (refusesChange(get()) !== null) return Object.keys(documentOf(get()).nodes).length > 0;
  return !keepHere();
}
