/** Until when something is known, and as of when it is told, in words. */
import type { Behind } from "../api/types";
import { instant } from "../ui/words";

/** known until 01:00:00 */
export function untilShort({ until }: Behind): string {
  return until === null ? "nothing seen yet" : `known until ${instant(until).slice(-8)}`;
}

/** A sentence that explains it; undefined where a node is not behind. */
export function untilWords(behind: Behind | null): string | undefined {
  if (behind === null) return undefined;
  const { until, words } = behind;
  const seen =
    until === null ? "Its node has seen nothing yet" : `Its node has seen events until ${instant(until)} UTC`;
  return `${seen}, and more have come (${words}). What is later than that is not known, only projected.`;
}

/** as of 01:00:00 */
export const asOfShort = (lostAt: number): string => `as of ${instant(lostAt)}`;

/** The same in a sentence. */
export const asOfWords = (lostAt: number): string =>
  `No connection to the server: this is as of ${instant(lostAt)} UTC. It goes on by itself once there is one.`;
