import { may, refusesMaking } from "../core/api/rights";
/** The page's one store. State is here; the actions that change it are below and in `server.ts`. */
import type { Notice } from "../core/ui/Notice";
import { create } from "zustand";
import type { Board, BoardDocument, Source, SourceRef } from "../core/api/dashboards";
import type { Me } from "../core/api/types";
import { record, redo as later, start, undo as earlier, type History } from "../core/graph/history";
import type { Window } from "../timechart/window";
import { EMPTY, isSameDocument } from "./document";
import { searchOf, viewOf, type View } from "./link";

export interface BoardState {
  me: Me | null;
  board: Board | null;
  /** Why there is no dashboard to be seen. */
  failure: string | null;
  /** Somebody deleted it while it was open, or took it away. */
  gone: boolean;
  name: string;
  history: History<BoardDocument>;
  saved: BoardDocument;
  editing: boolean;
  busy: boolean;
  notice: Notice | null;
  /** Somebody saved this meanwhile. */
  conflict: Board | null;
  sources: Readonly<Record<string, Source>>;
  view: View;
  /** Where the pointer is; the cursor that stays is in `view`. */
  pointed: number | null;
  pausedAt: number | null;
  /** What the keyboard did to the arrangement, for those who cannot see it. */
  said: string;
}

export const useBoard = create<BoardState>(() => ({
  me: null,
  board: null,
  failure: null,
  gone: false,
  name: "",
  history: start(EMPTY),
  saved: EMPTY,
  editing: false,
  busy: false,
  notice: null,
  conflict: null,
  sources: {},
  view: viewOf(typeof window === "undefined" ? "" : window.location.search),
  pointed: null,
  pausedAt: null,
  said: "",
}));

export const get = useBoard.getState;
export const set = useBoard.setState;

export const documentOf = (state: BoardState): BoardDocument => state.history.present;
const selected = (first: string, more: readonly string[] = []): readonly string[] =>
  first === "" ? [] : [...new Set([first, ...more])];

/** The selected keys, or groups, of the dashboard. */
export function selectionOf({ view, ...state }: BoardState, grouped: boolean): readonly string[] {
  const { key, more_keys, group = "", more_groups } = state.history.present;
  return grouped ? (view.groups ?? selected(group, more_groups)) : (view.keys ?? selected(key, more_keys));
}

export const keyOf = (state: BoardState): string => selectionOf(state, false)[0] ?? "";
export const groupOf = (state: BoardState): string => selectionOf(state, true)[0] ?? "";

/** What is shown of a node where its chart names nothing: the chosen key, or of a node of groups the chosen group. */
export const chosenOf = (state: BoardState, source: Source | undefined): string =>
  source?.grouped ? groupOf(state) : keyOf(state);

export const rangeOf = (state: BoardState): string => state.view.range ?? documentOf(state).range;
export const sourceId = ({ plan, node }: SourceRef): string => `${plan}\n${node}`;

/** The cursor of all charts: where the pointer is, else where it was pinned. */
export const cursorOf = (state: BoardState): number | null => state.pointed ?? state.view.cursor;

export const isUnsaved = (state: BoardState): boolean =>
  !isSameDocument(documentOf(state), state.saved) ||
  (state.board !== null && state.name !== state.board.name);

export const isOld = ({ board }: BoardState): boolean => board !== null && board.version < board.newest;

/** Why this person cannot change the dashboard, or null. */
export function refusesChange(state: BoardState): string | null {
  const { board } = state;
  if (!board) return "Loading.";
  if (!may("edit", board)) {
    const whose = `This dashboard belongs to ${board.owner}`;
    const looks = refusesMaking(state.me);
    return looks === null ? `${whose}; make a copy to change it.` : `${whose}. ${looks}`;
  }
  return isOld(state) ? "This is an older version; show the newest to change it." : null;
}

/** An edit that can be undone. */
export function change(edit: (document: BoardDocument) => BoardDocument, tag: string | null = null): void {
  set((state) => ({ history: record(state.history, edit(documentOf(state)), tag, Date.now()) }));
}

export const undo = (): void => set((state) => ({ history: earlier(state.history) }));
export const redo = (): void => set((state) => ({ history: later(state.history) }));
export const rename = (name: string): void => set({ name });

/** Look at something else; the address says what, so that it can be sent to others. */
export function changeView(change: Partial<View>): void {
  set((state) => ({ view: { ...state.view, ...change } }));
  // The secret of a public link stays in the address.
  const { pathname, hash } = window.location;
  window.history.replaceState(null, "", pathname + searchOf(get().view) + hash);
}

export const select = (grouped: boolean, named: readonly string[]): void =>
  changeView(grouped ? { groups: named } : { keys: named });

/** Show one; those that are selected besides the first stay so. */
export function choose(grouped: boolean, named: string): void {
  const more = selectionOf(get(), grouped).slice(1);
  select(grouped, [named, ...more.filter((one) => one !== named)]);
}

export const lookAtRange = (range: string): void => {
  set({ pausedAt: null });
  changeView({ range, fixed: null });
};
export const lookAtStretch = (fixed: Window): void => changeView({ fixed });
export const lookAtNow = (): void => {
  set({ pausedAt: null });
  changeView({ fixed: null, cursor: null });
};
export const setPointer = (pointed: number | null): void => set({ pointed });
export const pinCursor = (cursor: number | null): void => changeView({ cursor });
export const setPausedAt = (pausedAt: number | null): void => set({ pausedAt });
