/** How far the reader has come; remembered in the browser, for each user. */
import { create } from "zustand";
import type { Memory } from "./steps";

type Going = "never" | "on" | "left" | "done";

export interface Tour extends Memory {
  user: string;
  going: Going;
  step: number;
}

type Kept = Pick<Tour, "going" | "step" | "stream">;

const BEGIN = { going: "never" as Going, step: 0, stream: "" };

export const useTour = create<Tour>(() => ({ user: "", ...BEGIN }));

const keyOf = (user: string): string => `timelines tour ${user}`;

function isKept(kept: unknown): kept is Kept {
  if (typeof kept !== "object" || kept === null) return false;
  const { going, step, stream } = kept as Record<string, unknown>;
  const known = going === "never" || going === "on" || going === "left" || going === "done";
  return known && Number.isInteger(step) && typeof stream === "string";
}

function read(user: string): Kept | null {
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
  useTour.setState({ user, ...(read(user) ?? BEGIN) });
  if (before === "" && going === "on") go();
}

/** What became of it in another tab: finished there is finished here, else a tour that goes on here goes on. */
export function hear(): void {
  const { user, going } = useTour.getState();
  const kept = read(user);
  if (kept && (kept.going === "done" || going !== "on")) useTour.setState(kept);
}

function keep(change: Partial<Tour>): void {
  const before = read(useTour.getState().user);
  // Finished in another tab: nothing but taking it up again, by hand, changes that.
  if (before?.going === "done" && change.going !== "on") return useTour.setState(before);
  useTour.setState(change);
  const { user, going, step, stream } = useTour.getState();
  if (user === "") return;
  try {
    localStorage.setItem(keyOf(user), JSON.stringify({ going, step, stream }));
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
