/** How far the reader has come; remembered in the browser, for each user. */
import { create } from "zustand";
import type { Memory } from "./steps";

/** How many steps there are; what they say is loaded when the tour is taken. */
export const STEP_COUNT = 13;

type Going = "never" | "on" | "left" | "done";

export interface Tour extends Memory {
  user: string;
  going: Going;
  step: number;
}

/** `tab`: which one it goes on in; it is never open in two. */
type SavedTour = Pick<Tour, "going" | "step" | "stream"> & { tab?: unknown };

const BEGIN = { going: "never" as Going, step: 0, stream: "" };

export const useTour = create<Tour>(() => ({ user: "", ...BEGIN }));

const TAB = "timelines tab";

/** What tells this tab from others, on all its pages; empty where the browser keeps nothing. */
function ownTab(): string {
  try {
    const held = sessionStorage.getItem(TAB) ?? crypto.getRandomValues(new Uint32Array(2)).join("-");
    sessionStorage.setItem(TAB, held);
    return held;
  } catch {
    return "";
  }
}

/** As it is seen from this tab: what goes on in another can be taken up here, but does not open by itself. */
function seenHere({ going, step, stream, tab }: SavedTour): Pick<Tour, "going" | "step" | "stream"> {
  const isElsewhere = typeof tab === "string" && tab !== "" && tab !== ownTab();
  return { going: going === "on" && isElsewhere ? "left" : going, step, stream };
}

const keyOf = (user: string): string => `timelines tour ${user}`;

function isKept(kept: unknown): kept is SavedTour {
  if (typeof kept !== "object" || kept === null) return false;
  const { going, step, stream } = kept as Record<string, unknown>;
  const known = going === "never" || going === "on" || going === "left" || going === "done";
  return known && Number.isInteger(step) && typeof stream === "string";
}

function read(user: string): SavedTour | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(user)) ?? "null");
    return isKept(kept) ? kept : null;
  } catch {
    // Not ours, or not allowed: as if there were none.
    return null;
  }
}

/** What is kept for a user; a browser that keeps nothing begins anew. Who took it up before they were known goes on. */
export function recall(user: string): void {
  const { user: before, going } = useTour.getState();
  const kept = read(user);
  useTour.setState({ user, ...(kept ? seenHere(kept) : BEGIN) });
  if (before === "" && going === "on") go();
}

/** What became of it in another tab: finished or taken up there it is not here, else one that goes on here goes on. */
export function hear(): void {
  const { user, going } = useTour.getState();
  const kept = read(user);
  if (!kept) return;
  const seen = seenHere(kept);
  const isTaken = kept.going === "on" && seen.going === "left";
  if (kept.going === "done" || going !== "on" || isTaken) useTour.setState(seen);
}

function keep(change: Partial<Tour>): void {
  const before = read(useTour.getState().user);
  // Finished in another tab: nothing but taking it up again, by hand, changes that.
  if (before?.going === "done" && change.going !== "on") return useTour.setState(seenHere(before));
  useTour.setState(change);
  const { user, going, step, stream } = useTour.getState();
  if (user === "") return;
  try {
    localStorage.setItem(keyOf(user), JSON.stringify({ going, step, stream, tab: ownTab() }));
  } catch {
    // It is then remembered as long as the page is open.
  }
}

/** Begin, or go on where it was left; a tour that was finished begins anew. */
export function go(): void {
  const { going, step } = useTour.getState();
  keep({ going: "on", step: going === "done" ? 0 : step });
}

export const leave = (): void => keep({ going: "left" });
export const finish = (): void => keep({ going: "done", step: 0 });
export const refuse = (): void => keep({ going: "done" });
export const to = (step: number): void => keep({ step: Math.max(0, step) });
export const note = ({ stream }: Memory): void => keep({ stream });
