/** The points of a timeline, as they are on the wire. */
import type { Scalar } from "./document";

/**
 * `[t, value]` for steps, `[t, value, slope per second]` for numbers, both lines one after the other for ratios; `t`
 * null is "since ever".
 */
export type WirePoint =
  | [t: number | null, value: Scalar | null]
  | [t: number | null, value: Scalar | null, slope: number | null]
  | [t: number | null, value: number | null, slope: number, den: number | null, denSlope: number];
