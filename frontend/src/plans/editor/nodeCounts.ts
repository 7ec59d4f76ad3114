/** The counters of a node that the canvas shows. Pure. */
import type { NodeStatus } from "../../core/api/types";

export interface Count {
  readonly count: string;
  readonly words: string;
  /** Events were lost, or results may be incomplete. */
  readonly bad: boolean;
}

const formatCount = (count: number): string => count.toLocaleString("en");

/** "batch waits", "batches wait", or "wait" for events. */
function waiting({ lag, lag_of: of }: NodeStatus["rates"], events = ""): string {
  const one = lag === 1;
  const what = of === "batches" ? (one ? "batch " : "batches ") : events;
  return `${what}${one ? "waits" : "wait"}`;
}

/** The backlog, and the events that were late, duplicate or too late; counts of zero are left out. */
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

/** Describe all counters in sentences, for the tooltip. */
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
