/** What the page asks the server to do. */
import { api, ApiError, describeError, isMissing } from "../core/api/client";
import type { Board, BoardDocument, Source, SourceRef } from "../core/api/dashboards";
import { start } from "../core/graph/history";
import { hasNode, isSameDocument } from "./document";
import { documentOf, get, isUnsaved, changeView, set, sourceId } from "./store";
import { displayOf, setDisplays } from "../timechart/displays";

/** Show what the server has. */
export function take(board: Board): void {
  const kept = isSameDocument(board.document, documentOf(get())) ? get().history : start(board.document);
  set({
    board,
    name: board.name,
    history: kept,
    saved: board.document,
    failure: null,
    gone: false,
    conflict: null,
  });
  document.title = `${board.name} · Timelines`;
}

export async function load(id: number): Promise<void> {
  try {
    const [board, me] = await Promise.all([api.dashboard(id, get().view.version), api.me()]);
    set({ me });
    take(board);
  } catch (error) {
    set({ failure: describeError(error) });
  }
}

/** Whether somebody saved it meanwhile: shown at once where nothing would be lost by that. */
export async function checkForSave(): Promise<void> {
  const { board, view, busy } = get();
  if (!board || busy || view.version !== null) return;
  const found = await api.dashboard(board.id, null).catch((error: unknown) => {
    if (isMissing(error)) set({ gone: true, failure: describeError(error) });
    return null;
  });
  const now = get();
  if (found && now.gone) set({ gone: false, failure: null });
  if (!found || found.version === now.board?.version || now.busy) return;
  if (isUnsaved(now)) set({ conflict: now.conflict ?? found });
  else if (!now.editing) take(found);
  else {
    take(found);
    set({
      notice: { tone: "good", text: `Version ${found.version} was saved in the meantime and is now shown.` },
    });
  }
}

async function busily(work: () => Promise<void>): Promise<void> {
  if (get().busy) return;
  set({ busy: true });
  try {
    await work();
  } catch (error) {
    set({ notice: { tone: "bad", text: describeError(error) } });
  } finally {
    set({ busy: false });
  }
}

/** With the names and digests that run now; by its digest a node is found again when it is renamed. */
function withDigests(document: BoardDocument, sources: Readonly<Record<string, Source>>): BoardDocument {
  const charts = document.charts.map((chart) => {
    const source = sources[sourceId(chart)];
    if (source?.state !== "running") return chart;
    return { ...chart, node: source.now ?? chart.node, digest: source.digest };
  });
  return { ...document, charts };
}

/** With those that were renamed under their new names as well. */
function withNames(sources: Readonly<Record<string, Source>>): Readonly<Record<string, Source>> {
  const renamed = Object.values(sources).flatMap((source) =>
    source.now === null ? [] : [{ ...source, node: source.now, now: null }],
  );
  return { ...sources, ...Object.fromEntries(renamed.map((source) => [sourceId(source), source])) };
}

async function put(version: number): Promise<void> {
  const { board, name } = get();
  if (!board) return;
  try {
    const sent = withDigests(documentOf(get()), get().sources);
    const saved = await api.saveDashboard(board.id, { name, document: sent, version });
    set(({ history, sources }) => ({
      history: { ...history, present: sent },
      sources: withNames(sources),
    }));
    set({ board: saved, saved: sent, name: saved.name, conflict: null });
    if (get().view.version !== null) changeView({ version: null });
    set({ notice: { tone: "good", text: `Saved as version ${saved.version}.` } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "conflict") throw error;
    set({ conflict: await api.dashboard(board.id, null) });
  }
}

export const save = (): Promise<void> => busily(() => put(get().board?.version ?? 1));

/** Save one's own over what somebody else saved, which stays a version of its own. */
export const overwrite = (): Promise<void> => busily(() => put(get().conflict?.version ?? 1));

/** Show what somebody else saved; one's own arrangement is one undo away. */
export function takeTheirs(): void {
  const { conflict, history } = get();
  if (!conflict) return;
  const past = [...history.past, history.present];
  take(conflict);
  set((state) => ({ history: { ...state.history, past } }));
}

/** Make an older version the newest. */
export const restore = (): Promise<void> =>
  busily(async () => {
    const { board } = get();
    if (!board) return;
    const { name, document } = board;
    const saved = await api.saveDashboard(board.id, { name, document, version: board.newest });
    changeView({ version: null });
    take(saved);
    set({ notice: { tone: "good", text: `Version ${board.version} is the newest again.` } });
  });

export const copy = (): Promise<void> =>
  busily(async () => {
    const { name } = get();
    const board = await api.createDashboard({ name: `${name} (copy)`, document: documentOf(get()) });
    window.location.assign(`/dashboards/${board.id}/`);
  });

/** A dashboard that is gone as it was, and as it was changed here. */
export async function recreateBoard(): Promise<void> {
  const { name } = get();
  const board = await api.createDashboard({ name, document: documentOf(get()) });
  set({ saved: documentOf(get()) });
  window.location.assign(`/dashboards/${board.id}/`);
}

let asked = 0;

/** Ask what runs of what the charts show. */
export async function resolveSources(): Promise<void> {
  const turn = ++asked;
  const refs = new Map<string, SourceRef>();
  for (const { type, plan, node, digest } of documentOf(get()).charts)
    if (hasNode(type)) refs.set(sourceId({ plan, node }), { plan, node, digest: digest ?? null });
  const found = refs.size === 0 ? [] : await api.sources([...refs.values()]).catch(() => null);
  if (found === null || turn !== asked) return;
  set({ sources: Object.fromEntries(found.map((source) => [sourceId(source), source])) });
  showAs(found);
}

/** A display that is as it was stays the same object: what is drawn by it is not drawn anew. */
export function showAs(found: readonly Source[]): void {
  const shown = found.flatMap(({ digest, display }) => {
    if (digest === null) return [];
    const before = displayOf(digest);
    const held = JSON.stringify(before) === JSON.stringify(display) ? before : display;
    return [[digest, { display: held, targets: [], overridden: false }] as const];
  });
  setDisplays(Object.fromEntries(shown));
}
