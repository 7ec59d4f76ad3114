/** What of a node's counters is told on the canvas. Pure. */
import type { NodeStatus } from "../../core/api/types";

export interface Count {
  readonly count: string;
  readonly words: string;
  /** Something was lost, or answers may be. */
  readonly bad: boolean;
}

const formatCount = (count: number): string => count.toLocaleString("en");

/** How what waits is told: 1 batch waits, 7 batches wait; what is not said to be events is. */
function waiting({ lag, lag_of: of }: NodeStatus["rates"], events = ""): string {
  const one = lag === 1;
  const what = of === "batches" ? (one ? "batch " : "batches ") : events;
  return `${what}${one ? "waits" : "wait"}`;
}

/** What waits, and the events that were not simply taken; nothing where there are none. */
export function selectCounts({ counters, rates }: Pick<NodeStatus, "counters" | "rates">): Count[] {
  const all: [number | undefined, string, boolean][] = [
    [rates.lag, waiting(rates), false],
    [counters.late, "late", false],
    [counters.duplicates, "duplicates", false],
    [counters.too_late, "too late", true],
  ];
  return all.flatMap(([count = 0, words, bad]) =>
    count > 0 ? [{ count: formatCount(count), words, bad }] : [],
  );
}

/** All of it in sentences, for the tooltip. */
export function describeCounts(words: string, status: NodeStatus | undefined): string {
  if (!status) return words;
  const { events = 0, late = 0, duplicates = 0, too_late: lost = 0, revisions = 0 } = status.counters;
  const lines = [
    words,
    status.error,
    status.owner && `owned by ${status.owner}`,
    `${formatCount(events)} events read, ${formatCount(revisions)} updates sent`,
    `${formatCount(late)} late and applied, ${formatCount(lost)} too late and left out, ${formatCount(duplicates)} duplicates`,
    `${formatCount(status.rates.lag ?? 0)} ${waiting(status.rates, status.rates.lag === 1 ? "event " : "events ")}`,
  ];
  return lines.filter(Boolean).join("\n");
}
