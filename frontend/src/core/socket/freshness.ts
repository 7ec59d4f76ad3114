/** The one rule of what is known: until now; of what has stopped until then; of what is behind as far as it has seen. Pure. */
import type { Behind } from "../api/types";

export interface Freshness {
  /** When it ceased to be computed, by the wall clock; null while it goes on. */
  readonly stoppedAt: number | null;
  /** Where more has come than it has seen: until which event time it has, and why. */
  readonly behind: Behind | null;
}

/** Until when one is known; `newest`: the newest event before an instant that it tells of. */
export function computeKnownUntil(one: Freshness, newest: (wall: number) => number, now: number): number {
  const { stoppedAt, behind } = one;
  const until = stoppedAt === null ? now : Math.min(now, Math.max(stoppedAt, newest(stoppedAt)));
  return behind === null ? until : Math.min(until, behind.until ?? 0);
}

/** Whether the open end of it is known to go on: time that passes without events is knowledge where nothing waits. */
export const isOpenEnded = ({ stoppedAt, behind }: Freshness): boolean =>
  stoppedAt === null && behind === null;

/** The one that is farthest behind. */
export function findFarthestBehind(all: readonly Pick<Freshness, "behind">[]): Behind | null {
  const found = all.flatMap(({ behind }) => behind ?? []);
  return found.reduce<Behind | null>(
    (least, one) => (least === null || (one.until ?? 0) < (least.until ?? 0) ? one : least),
    null,
  );
}
