/**
 * What was drawn and not saved yet, kept in the browser: a page that is closed, or has no network, loses nothing.
 * Every page keeps its own; one whose page is gone is taken up by the next page of the same plan.
 */
import type { PlanDocument } from "../../core/api/document";

/** A save that was sent, and of which no answer came. */
export interface PendingSave {
  edit: string;
  version: number | null;
  /** As it is on the screen. */
  screen: PlanDocument;
  document: PlanDocument;
}

export interface LocalDraft {
  user: string;
  at: number;
  version: number | null;
  base: PlanDocument;
  document: PlanDocument;
  sent: PendingSave | null;
}

const PREFIX = "timelines.kept.";
const page = Math.random().toString(36).slice(2);

const keyOf = (plan: number | null, owner = page): string => `${PREFIX}${plan ?? "new"}.${owner}`;

/** Mark this page as alive for the other pages of this browser. */
export function keepAlive(): void {
  void navigator.locks?.request(PREFIX + page, () => new Promise<void>(() => undefined));
}

/** Store a draft in the browser; return whether that worked. */
export function storeDraft(plan: number | null, kept: LocalDraft): boolean {
  try {
    localStorage.setItem(keyOf(plan), JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

export function removeDraft(plan: number | null): void {
  localStorage.removeItem(keyOf(plan));
}

async function living(): Promise<Set<string>> {
  const held = (await navigator.locks?.query())?.held ?? [];
  return new Set(held.map((lockInfo) => (lockInfo.name ?? "").slice(PREFIX.length)));
}

function read(key: string): LocalDraft | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") as LocalDraft | null;
  } catch {
    return null;
  }
}

/** What a page of this plan that is gone has left, the newest first; it is this page's from now on. */
export async function adoptDrafts(plan: number | null, user: string): Promise<LocalDraft | null> {
  const alive = await living();
  const start = keyOf(plan, "");
  const found = Object.keys(localStorage)
    .filter((key) => key.startsWith(start) && !alive.has(key.slice(start.length)))
    .map((key) => ({ key, kept: read(key) }))
    .filter(({ kept }) => kept?.user === user)
    .sort((a, b) => (b.kept?.at ?? 0) - (a.kept?.at ?? 0));
  const first = found[0];
  if (!first?.kept) return null;
  localStorage.removeItem(first.key);
  storeDraft(plan, first.kept);
  return first.kept;
}
