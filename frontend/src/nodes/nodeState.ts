/** When what was seen of a node, each in words that cannot be taken for another. Pure. */
import type { NodeDetail } from "../core/api/types";
import { formatMoment } from "../core/time/format";

type Timed = Pick<NodeDetail, "status" | "counters" | "rates">;

/** Its state, and since when the supervisor has seen that: a batch may have begun before somebody looked. */
export function describeObserved({ status: { observed, since } }: Timed): string {
  return since === null ? observed : `${observed} since ${formatMoment(since)}`;
}

/** When the newest batch began that had input. */
export function describeInput({ status, counters, rates }: Timed): string {
  const isNone = status.last_progress === null || (rates.lag_of === "events" && counters.events === 0);
  return isNone ? "none yet" : `in a batch that began at ${formatMoment(status.last_progress)}`;
}
