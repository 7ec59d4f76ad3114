/** The lanes on the page, by node name, and the view that they share. */
import { create } from "zustand";
import { without } from "../graph/records";
import type { TimelineMessage } from "../live/connection";
import { EMPTY, receive, type Lane } from "./lane";
import type { Window } from "./spans";

export type Span = "1m" | "5m" | "15m" | "1h" | "all";

export interface LanesState {
  lanes: Readonly<Record<string, Lane>>;
  span: Span;
  /** A stretch that was zoomed to; null follows now. */
  held: Window | null;
  pausedAt: number | null;
  cursor: number | null;
  key: string;
  group: string;
}

const query =
  typeof window === "undefined" ? new URLSearchParams() : new URLSearchParams(window.location.search);

export const useLanes = create<LanesState>(() => ({
  lanes: {},
  span: "5m",
  held: null,
  pausedAt: null,
  cursor: null,
  key: query.get("key") ?? "",
  group: query.get("group") ?? "",
}));

const set = useLanes.setState;

export const wallClock = (): number => Date.now() * 1000;

export function begin(name: string): void {
  set((state) => ({ lanes: { ...state.lanes, [name]: EMPTY } }));
}

export function take(name: string, message: TimelineMessage): void {
  set((state) => {
    const lane = receive(state.lanes[name] ?? EMPTY, message, wallClock());
    return { lanes: { ...state.lanes, [name]: lane } };
  });
}

export function end(name: string): void {
  set((state) => ({ lanes: without(state.lanes, name) }));
}

export function setSpan(span: Span): void {
  set({ span, held: null });
}

export function hold(held: Window): void {
  set({ held });
}

export function follow(): void {
  set({ held: null, pausedAt: null });
}

export function pause(at: number | null): void {
  set({ pausedAt: at });
}

export function setCursor(cursor: number | null): void {
  set({ cursor });
}

/** Pin a key (or a group). It is part of the address, so that a reload shows the same. */
export function pin(what: "key" | "group", value: string): void {
  set({ [what]: value });
  const address = new URL(window.location.href);
  if (value === "") address.searchParams.delete(what);
  else address.searchParams.set(what, value);
  window.history.replaceState(null, "", address);
}
