/** What is told of timelines to who looks closer: thinned, by state, as it was known. */
import type { Scalar } from "./document";

/** Where change points are left out: how many, and what the timeline did from there to there. */
export interface LeftOut {
  from: number;
  to: number;
  changes: number;
  /** Of states: seconds by value, the longest first, and of all others together. */
  shares?: [value: Scalar | null, seconds: number][];
  others?: number;
  /** Of numbers; null: all of it is unknown. */
  low?: number | null;
  high?: number | null;
  unknown?: number;
}

/** A point as REST spells it. */
export interface SpelledPoint {
  t: number | null;
  value?: Scalar | null;
  slope?: number | null;
  num?: { value: number; slope: number } | null;
  den?: { value: number; slope: number } | null;
}

/** What was known at an instant, and where that differs from what is known now. */
export interface Then {
  points: SpelledPoint[];
  left_out?: LeftOut[];
  final_until: number | null;
  known: boolean;
  differences: { from: number | null; to: number | null }[];
  different: number;
  seconds: number;
  open: boolean;
}

/** When something became known of a key, newest first. */
export interface History {
  revisions: {
    version: number;
    known_at: number;
    start: number | null;
    end: number | null;
    folded: boolean;
  }[];
  more: boolean;
  known_from: number | null;
}

export interface KeyState {
  key: string;
  value: Scalar | null;
  since: number;
  seconds: number;
  at_least: boolean;
}

export interface Distribution {
  of: "seconds" | "value";
  count: number;
  least: number | null;
  median: number | null;
  p90: number | null;
  greatest: number | null;
  buckets: { from: number; to: number; count: number }[];
}

/** The keys of a node by what they say at an instant. */
export interface States {
  kind: "bool" | "text" | "number";
  at: number;
  from: number;
  value: Scalar | null;
  known: number;
  looked_at: number;
  complete: boolean;
  values: { value: Scalar | null; keys: number }[];
  matching: number;
  keys: KeyState[];
  distribution: Distribution;
}
