/** What is seen of stretches of which change points are left out: how long each value held, or between which bounds. */
import type { LeftOut, Scalar } from "../core/api/types";
import type { Window } from "./window";

/** A part of a stretch: from `low` to `high` of the height of the lane (of states), or of its scale (of numbers). */
export interface Part {
  readonly start: number;
  readonly end: number;
  readonly low: number;
  readonly high: number;
  /** Undefined: several other values. */
  readonly value: Scalar | null | undefined;
}

/** What is left out around an instant, if anything is. */
export function leftOutAt(leftOut: readonly LeftOut[], t: number): LeftOut | null {
  let low = 0;
  let high = leftOut.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((leftOut[middle]?.from ?? 0) <= t) low = middle + 1;
    else high = middle;
  }
  const found = leftOut[low - 1];
  return found && t < found.to ? found : null;
}

export function selectVisibleParts(
  leftOut: readonly LeftOut[],
  { start, end }: Window,
  now: number,
): LeftOut[] {
  const until = Math.min(end, now);
  return leftOut.filter((one) => one.from < until && one.to > start);
}

/** Values stand on each other in one order in all stretches, each as high as its share of the time. */
export function computeShares(leftOut: readonly LeftOut[]): Part[] {
  return leftOut.flatMap(({ from, to, shares: told = [], others = 0 }) => {
    const all = told.reduce((sum, [, seconds]) => sum + seconds, others) || 1;
    const ordered = [...told].sort(([a], [b]) => (String(a) < String(b) ? 1 : -1));
    let low = 0;
    const parts = ordered.map(([value, seconds]): Part => {
      const part = { start: from, end: to, low, high: low + seconds / all, value };
      low = part.high;
      return part;
    });
    return others > 0 ? [...parts, { start: from, end: to, low, high: 1, value: undefined }] : parts;
  });
}

export function bounds(leftOut: readonly LeftOut[]): Part[] {
  return leftOut.map(({ from, to, low, high }) => {
    const known = low != null && high != null;
    return { start: from, end: to, low: low ?? 0, high: high ?? 0, value: known ? low : null };
  });
}

const percent = (seconds: number, one: LeftOut): string =>
  `${Math.round((seconds / ((one.to - one.from) / 1_000_000)) * 100)} %`;

const number = (value: number): string =>
  Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 3 });

/** What happened in a stretch, in one line. */
export function describeLeftOut(one: LeftOut): string {
  if (one.shares) {
    const shareTexts = one.shares.map(
      ([value, s]) => `${value === null ? "unknown" : String(value)} ${percent(s, one)}`,
    );
    return [
      ...shareTexts,
      ...((one.others ?? 0) > 0 ? [`others ${percent(one.others ?? 0, one)}`] : []),
    ].join(", ");
  }
  return one.low == null || one.high == null ? "unknown" : `from ${number(one.low)} to ${number(one.high)}`;
}
