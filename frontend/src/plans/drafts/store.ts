/** The state of the draft: saved, being saved, stored only in this browser, or in conflict. */
import { create } from "zustand";
import type { PresentPerson } from "../../core/api/types";
import type { Conflict, Merge } from "../../core/api/versions";

export type SaveState = "saved" | "unsaved" | "saving" | "offline" | "conflict" | "refused";

export interface DraftState {
  saveState: SaveState;
  /** Why it is not saved. */
  reason: string | null;
  merge: Merge | null;
  deciding: boolean;
  /** The last change by somebody else, in a sentence. */
  news: { who: string; words: string } | null;
  people: readonly PresentPerson[];
  /** The number of the newest version. */
  newest: number | null;
}

const NOTHING: DraftState = {
  saveState: "saved",
  reason: null,
  merge: null,
  deciding: false,
  news: null,
  people: [],
  newest: null,
};

export const useDraft = create<DraftState>(() => NOTHING);

export const getDraft = useDraft.getState;
export const setDraft = useDraft.setState;
export const forgetDraft = (): void => setDraft(NOTHING);

/** A name for one thing that two people changed. */
export const placeOf = (conflict: Pick<Conflict, "path">): string => conflict.path.join("\n");

export const peopleAt = ({ people }: Pick<DraftState, "people">, node: string): PresentPerson[] =>
  people.filter((one) => one.selected.includes(node));
