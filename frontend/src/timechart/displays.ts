/** How the values of the nodes of a page are shown, by their name (on dashboards by digest), and who may choose it. */
import { create } from "zustand";
import { call } from "../core/api/client";
import type { Kind, Scalar } from "../core/api/types";
import { AS_GUESSED, type Display } from "./display";

/** Where a choice is kept: for a field of a stream, or for a node of a plan alone. */
export interface Target {
  readonly words: string;
  readonly path: string;
  readonly name: string;
  readonly saved: (displays: Readonly<Record<string, Display>>) => void;
}

export interface DisplayOption {
  readonly display: Display;
  /** The first is the one that is offered first. */
  readonly targets: readonly Target[];
  /** Where a choice stands before that of the first target. */
  readonly overridden: boolean;
}

export interface DisplayQuestion {
  readonly name: string;
  readonly kind: Kind;
  readonly values: readonly Scalar[];
}

interface DisplaysState {
  readonly shown: Readonly<Record<string, DisplayOption>>;
  readonly asked: DisplayQuestion | null;
}

export const useDisplays = create<DisplaysState>(() => ({ shown: {}, asked: null }));

export const setDisplays = (shown: DisplaysState["shown"]): void => useDisplays.setState({ shown });
export const askDisplay = (displayQuestion: DisplayQuestion | null): void =>
  useDisplays.setState({ asked: displayQuestion });

export const displayOf = (name: string): Display => useDisplays.getState().shown[name]?.display ?? AS_GUESSED;
export const useDisplay = (name: string): Display =>
  useDisplays((state) => state.shown[name]?.display ?? AS_GUESSED);

/** For a field of a stream, wherever its values are shown. */
export const fieldTarget = (stream: string, field: string, saved: Target["saved"]): Target => ({
  words: `Every plan and dashboard that shows ${stream}.${field}`,
  path: `/api/streams/${encodeURIComponent(stream)}/display/`,
  name: field,
  saved,
});

/** For a node of one plan. */
export const nodeTarget = (plan: number, node: string, saved: Target["saved"]): Target => ({
  words: `Only ${node} in this plan, and dashboards that show it`,
  path: `/api/plans/${plan}/display/`,
  name: node,
  saved,
});

/** Keep a choice, or with null go back to the guess. */
export async function saveDisplay({ path, name, saved }: Target, display: Display | null): Promise<void> {
  const answer = await call<{ display: Record<string, Display> }>("PATCH", path, {
    display: { [name]: display },
  });
  saved(answer.display);
}
