/** Until when something is known, and as of when it is told, in words. */
import type { Behind } from "../api/types";
import { formatInstant, formatTime } from "../time/format";

/** data up to 01:00:00 UTC */
export function formatUntilShort({ until }: Behind): string {
  return until === null ? "no data yet" : `data up to ${formatTime(until)}`;
}

/** A sentence that explains it; undefined where a node is not behind. */
export function describeUntil(behind: Behind | null): string | undefined {
  if (behind === null) return undefined;
  const { until, words } = behind;
  const seen =
    until === null
      ? "The node has read no events yet"
      : `The node has read events up to ${formatInstant(until)}`;
  return `${seen}, and more are waiting (${words}). Later values are projected.`;
}

/** as of 01:00:00 UTC */
export const formatAsOfShort = (lostAt: number): string => `as of ${formatInstant(lostAt)}`;

/** The same in a sentence. */
export const describeAsOf = (lostAt: number): string =>
  `Disconnected since ${formatInstant(lostAt)}. Reconnecting.`;
