/** What other features do with a lane. The app registers it: the lanes import none of them. */
import type { ComponentType } from "react";
import type { WhyQuestion } from "../core/api/client";
import type { Window } from "../timechart/window";
import type { LaneRef } from "./store";
import { useAsOf } from "./asOf";

interface PinProps {
  name: string;
  quiet?: boolean;
  /** The chart that is offered first. */
  as?: "table" | "funnel";
}

interface MarksProps {
  digest: string;
  pinned: string;
  /** For which they are placed: on a sheet that is wider. */
  window: Window;
  /** As it was known then; null: now. */
  knownAt: number | null;
}

interface LaneActions {
  /** What happened at a node, for the key of its lane: incidents. */
  Marks: ComponentType<MarksProps>;
  /** Puts a chart of the lane's node onto a dashboard. */
  Pin: ComponentType<PinProps>;
  explain: (question: Omit<WhyQuestion, "plan">) => void;
}

let actions: LaneActions | null = null;

/** Before lanes are drawn for the first time. */
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

/** Ask why a node says what it says at an instant, microseconds. */
export function openWhy({ name, digest, pinned }: LaneRef, at: number): void {
  const { knownAt } = useAsOf.getState();
  actions?.explain({ name, digest, key: pinned, at: Math.round(at), knownAt });
}
