/** Until when a node is known: until now, until it stopped, or as far as a lagging node has read. Pure. */
import type { Behind } from "../api/types";

export interface Freshness {
  /** When its query stopped, by the wall clock; null while it runs. */
  readonly stoppedAt: number | null;
  /** If it lags: the event time up to which it has read, and why. */
  readonly behind: Behind | null;
}

/** Until when a node is known; `newest` returns its newest event before an instant. */
export function computeKnownUntil(
  freshness: Freshness,
  newest: (wall: number) => number,
  now: number,
): number {
  const { stoppedAt, behind } = freshness;
  const until = stoppedAt === null ? now : Math.min(now, Math.max(stoppedAt, newest(stoppedAt)));
  return behind === null ? until : Math.min(until, behind.until ?? 0);
}

/** Whether its last value holds until now: without a backlog, time without events is known, too. */
export const isOpenEnded = ({ stoppedAt, behind }: Freshness): boolean =>
  stoppedAt === null && behind === null;

/** The lag of the node that is farthest behind. */
export function findFarthestBehind(all: readonly Pick<Freshness, "behind">[]): Behind | null {
  const found = all.flatMap(({ behind }) => behind ?? []);
  return found.reduce<Behind | null>(
    (least, one) => (least === null || (one.until ?? 0) < (least.until ?? 0) ? one : least),
    null,
  );
}
