/** How fast revisions come out of a node, from the counts that its status tells. Pure. */

export interface Tally {
  /** Wall clock, microseconds. */
  readonly at: number;
  readonly count: number;
}

const SECOND = 1_000_000;
/** A rate is a mean over so long. */
export const OVER = 10 * SECOND;

/** The tallies with one more; of those from before the span only the last is needed. */
export function addTally(before: readonly Tally[], at: number, count: number): readonly Tally[] {
  const last = before.at(-1);
  if (last && count < last.count) return [{ at, count }];
  const from = before.findLastIndex((tally) => tally.at <= at - OVER);
  return [...before.slice(Math.max(0, from)), { at, count }];
}

/** Revisions a second over the last seconds; null as long as there is nothing to compare with. */
export function perSecond(tallies: readonly Tally[], now: number): number | null {
  const [first, last] = [tallies[0], tallies.at(-1)];
  if (!first || !last || now - first.at < SECOND) return null;
  const since = tallies.findLast((tally) => tally.at <= now - OVER) ?? first;
  const long = Math.min(OVER, now - since.at);
  return ((last.count - since.count) * SECOND) / long;
}
