/** What a page requests over its connection. */
import type { PeopleMessage, PlanMessage } from "../api/types";

export interface PlanSubscription {
  selected: readonly string[];
  /** Called when the plan is no longer readable. */
  lost: () => void;
  listen: (message: PlanMessage | PeopleMessage) => void;
}

/** The width of a chart, and the stretch that it shows in detail. */
export interface Chart {
  points: number;
  detail: [from: number, to: number] | null;
  /** The first instant; without it, all of the timeline. */
  from?: number | null;
}

/** The `top` keys of a node with the greatest or least values, now or `at` an instant. */
export interface RankQuestion {
  node: string;
  top: number;
  order: "most" | "least";
  at: number | null;
}
