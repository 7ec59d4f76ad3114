/** Until when something is known, and as of when it is told, in words. */
import type { Behind } from "../api/types";
import { instant } from "./format";

/** data up to 01:00:00 */
export function untilShort({ until }: Behind): string {
  return until === null ? "no data yet" : `data up to ${instant(until).slice(-8)}`;
}

/** A sentence that explains it; undefined where a node is not behind. */
export function untilWords(behind: Behind | null): string | undefined {
  if (behind === null) return undefined;
  const { until, words } = behind;
  const seen =
    until === null
      ? "The node has read no events yet"
      : `The node has read events up to ${instant(until)} UTC`;
  return `${seen}, and more are waiting (${words}). Later values are projected.`;
}

/** as of 01:00:00 */
export const asOfShort = (lostAt: number): string => `as of ${instant(lostAt)}`;

/** The same in a sentence. */
export const asOfWords = (lostAt: number): string =>
  `Disconnected since ${instant(lostAt)} UTC. Reconnecting.`;
