/** The bounds of a gauge. Pure. */
import { scaleOf } from "./series";

/** Those that were given; without them round ones around the value and 0. */
export function boundsOf(value: number | null, low: number | null, high: number | null): [number, number] {
  const seen = value ?? low ?? high ?? 0;
  const [bottom, top] = scaleOf([Math.min(0, seen), Math.max(0, seen)], null) ?? [0, 1];
  return [low ?? Math.min(bottom, high ?? bottom), high ?? Math.max(top, (low ?? 0) + 1)];
}
