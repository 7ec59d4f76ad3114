/** What other features do with a lane. The app registers it: the lanes import none of them. */
import type { ComponentType } from "react";
import type { WhyQuestion } from "../core/api/client";
import type { Asked } from "./store";
import { useThen } from "./asOf";

interface PinProps {
  name: string;
  quiet?: boolean;
  /** The chart that is offered first. */
  as?: "table" | "funnel";
}

interface LaneActions {
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

/** Ask why a node says what it says at an instant, microseconds. */
export function askWhy({ name, digest, pinned }: Asked, at: number): void {
  const { knownAt } = useThen.getState();
  actions?.explain({ name, digest, key: pinned, at: Math.round(at), knownAt });
}
