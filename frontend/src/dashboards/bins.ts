/** How many keys have which value. Pure. */
import type { Scalar } from "../core/api/types";
import { scaleOf } from "./series";

export interface Bin {
  readonly label: string;
  /** The state that it counts; of numbers null. */
  readonly state: Scalar | null;
  readonly count: number;
}

const BINS = 10;

/** Round bounds of numbers, the last one included, and how many lie between each two. */
export function binNumbers(values: readonly number[], spell: (value: number) => string): Bin[] {
  const scale = scaleOf(values.length === 0 ? null : [Math.min(...values), Math.max(...values)], null);
  if (scale === null) return [];
  const [low, high] = scale;
  const wide = (high - low) / BINS;
  const counts = new Array<number>(BINS).fill(0);
  for (const value of values) {
    const bin = Math.min(BINS - 1, Math.floor((value - low) / wide));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((count, i) => ({ label: spell(low + i * wide), state: null, count }));
}

/** How many keys are in each state, the most frequent first. */
export function binStates(values: readonly Scalar[], nameOf: (value: Scalar) => string = String): Bin[] {
  const counts = new Map<Scalar, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([state, count]) => ({ label: nameOf(state), state, count }));
}
