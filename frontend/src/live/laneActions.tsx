/** Actions of other features on a lane. The app registers them, so that lanes import no feature. */
import type { ComponentType } from "react";
import type { WhyQuestion } from "../core/api/client";
import type { Window } from "../timechart/window";
import type { LaneRef } from "./store";
import { useAsOf } from "./asOf";

interface PinProps {
  name: string;
  quiet?: boolean;
  /** The chart type that is proposed. */
  as?: "table" | "funnel";
}

interface MarksProps {
  digest: string;
  pinned: string;
  /** The window of the sheet on which they are placed, wider than the visible one. */
  window: Window;
  /** The moment as of which they are shown; null is now. */
  knownAt: number | null;
}

interface LaneActions {
  /** The incidents of a node, for the key of its lane. */
  Marks: ComponentType<MarksProps>;
  /** Puts a chart of the lane's node onto a dashboard. */
  Pin: ComponentType<PinProps>;
  explain: (question: Omit<WhyQuestion, "plan">) => void;
}

let actions: LaneActions | null = null;

/** Call this before lanes are drawn for the first time. */
export function registerLaneActions(registered: LaneActions): void {
  actions = registered;
}

export function LanePin(props: PinProps) {
  return actions && <actions.Pin {...props} />;
}

export function LaneMarks({ asked: { digest, pinned }, window }: { asked: LaneRef; window: Window }) {
  const knownAt = useAsOf((state) => state.knownAt);
  return actions && digest !== "" && <actions.Marks {...{ digest, pinned, window, knownAt }} />;
}

/** Explain the value of a node at an instant in microseconds. */
export function openWhy({ name, digest, pinned }: LaneRef, at: number): void {
  const { knownAt } = useAsOf.getState();
  actions?.explain({ name, digest, key: pinned, at: Math.round(at), knownAt });
}
