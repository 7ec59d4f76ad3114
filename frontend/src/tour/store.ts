/** How far the reader has come; remembered in the browser, for each user. */
import { create } from "zustand";
import type { Memory } from "./steps";

export type Going = "never" | "on" | "left" | "done";

export interface Tour extends Memory {
  user: string;
  going: Going;
  step: number;
}

const BEGIN = { going: "never" as Going, step: 0, stream: "" };

export const useTour = create<Tour>(() => ({ user: "", ...BEGIN }));

const keyOf = (user: string): string => `timelines tour ${user}`;

function isKept(kept: unknown): kept is Pick<Tour, "going" | "step" | "stream"> {
  if (typeof kept !== "object" || kept === null) return false;
  const { going, step, stream } = kept as Record<string, unknown>;
  const known = going === "never" || going === "on" || going === "left" || going === "done";
  return known && Number.isInteger(step) && typeof stream === "string";
}

/** What is kept for a user; a browser that keeps nothing begins anew. */
export function recall(user: string): void {
  let kept: unknown = null;
  try {
    kept = JSON.parse(localStorage.getItem(keyOf(user)) ?? "null");
  } catch {
    // Not ours, or not allowed: as if there were none.
  }
  useTour.setState({ user, ...(isKept(kept) ? kept : BEGIN) });
}

function keep(change: Partial<Tour>): void {
  useTour.setState(change);
  const { user, going, step, stream } = useTour.getState();
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
