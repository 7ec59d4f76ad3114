/** What is asked of a page's connection. */
import type { PeopleMessage, PlanMessage } from "../api/types";

export interface PlanSubscription {
  selected: readonly string[];
  /** It may not be seen any more. */
  lost: () => void;
  listen: (message: PlanMessage | PeopleMessage) => void;
}

/** How wide a chart is, and which stretch of it is looked at closely. */
export interface Chart {
  points: number;
  detail: [from: number, to: number] | null;
  /** From this instant on; without it, all of it. */
  from?: number | null;
}

/** What of a node's keys: the `top` with the most, or the least, now or `at` an instant. */
export interface RankQuestion {
  node: string;
  top: number;
  order: "most" | "least";
  at: number | null;
}
