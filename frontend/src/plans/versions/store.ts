/** The versions of the plan, and the two that are compared. */
import { create } from "zustand";
import { describeError } from "../../core/api/client";
import { versions as api, type Compared, type Version } from "../../core/api/versions";
import { flush, replaceDraft } from "../drafts/saving";
import { get as studio, set as setStudio } from "../editor/store";

interface VersionsState {
  open: boolean;
  list: readonly Version[] | null;
  /** Where the older ones are. */
  next: string | null;
  /** Null is the draft. */
  from: number | null;
  to: number | null;
  compared: Compared | null;
  busy: boolean;
  failure: string | null;
  /** The node that is looked at in the comparison. */
  looked: { name: string; count: number } | null;
}

const CLOSED: VersionsState = {
  open: false,
  list: null,
  next: null,
  from: null,
  to: null,
  compared: null,
  busy: false,
  failure: null,
  looked: null,
};

export const useVersions = create<VersionsState>(() => CLOSED);

const get = useVersions.getState;
const set = useVersions.setState;

export const close = (): void => set(CLOSED);

export function openVersion(name: string): void {
  set((state) => ({ looked: { name, count: (state.looked?.count ?? 0) + 1 } }));
}

async function attempt(action: (plan: number) => Promise<void>): Promise<void> {
  const { plan } = studio();
  if (!plan) return;
  set({ busy: true, failure: null });
  try {
    await action(plan.id);
  } catch (error) {
    set({ failure: describeError(error) });
  } finally {
    set({ busy: false });
  }
}

/** Open them, with the newest version beside the draft. */
export async function openVersions(): Promise<void> {
  set({ ...CLOSED, open: true });
  await flush();
  await attempt(async (plan) => {
    const { results: list, next } = await api.list(plan, null);
    set({ list, next });
    const [newest] = list;
    if (newest) await compareNow(plan, newest.number, null);
  });
}

async function compareNow(plan: number, from: number | null, to: number | null): Promise<void> {
  set({ from, to });
  const compared = await api.compare(plan, from, to);
  const now = get();
  if (now.open && now.from === from && now.to === to) set({ compared, looked: null });
}

export function compare(from: number | null, to: number | null): Promise<void> {
  return attempt((plan) => compareNow(plan, from, to));
}

/** The list anew, because somebody made a version. */
export async function refreshVersions(): Promise<void> {
  const { plan } = studio();
  if (!plan || !get().open || get().list === null) return;
  const page = await api.list(plan.id, null).catch(() => null);
  if (page && get().open) set({ list: page.results, next: page.next });
}

export function loadOlderVersions(): Promise<void> {
  return attempt(async (plan) => {
    const held = get().list ?? [];
    const page = await api.list(plan, get().next);
    set({ list: [...held, ...page.results], next: page.next });
  });
}

/** Save as version. */
export function make(name: string): Promise<void> {
  return attempt(async (plan) => {
    await flush();
    const made = await api.make(plan, name);
    set((state) => ({ list: [made, ...(state.list ?? []).filter((one) => one.number !== made.number)] }));
    await compareNow(plan, made.number, null);
  });
}

export function rename(number: number, name: string): Promise<void> {
  return attempt(async (plan) => {
    const named = await api.name(plan, number, name);
    set((state) => ({ list: (state.list ?? []).map((one) => (one.number === number ? named : one)) }));
  });
}

/** The draft becomes what a version was; undo brings back what it was before. */
export function restore(version: Version): Promise<void> {
  return attempt(async (plan) => {
    if (!(await replaceDraft(() => api.restore(plan, version.number)))) return;
    close();
    const told = version.name === "" ? titleOf(version) : `“${version.name}”`;
    const text = `Restored ${told}. Undo reverts it.`;
    setStudio({ notice: { tone: "good", text } });
  });
}

export function titleOf({ number, name }: { number: number | null; name: string }): string {
  return name !== "" ? name : number === null ? "the draft" : `version ${number}`;
}
