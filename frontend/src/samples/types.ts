/** What the server tells of samples, evaluations and tests. Times are integer microseconds (UTC). */
import type { Kind, PlanDocument, Problem, Scalar } from "../api/types";

export interface SampleStream {
  stream: string;
  events: number;
  mistyped: number;
  size: number;
  first: number | null;
  last: number | null;
}

export interface Sample {
  id: number;
  name: string;
  owner: string;
  created_at: string;
  recording: { count: number; keys: string[] } | null;
  streams: SampleStream[];
  tests: number;
}

export type SampleEvent = Record<string, Scalar | null>;

export interface WireLine {
  value: number;
  slope: number;
}

/** A value; of numbers also the slope; of ratios both lines. Unknown is null. */
export interface Said {
  value?: Scalar | null;
  slope?: number;
  num?: WireLine | null;
  den?: WireLine | null;
}

export interface AnswerPoint extends Said {
  t: number | null;
}

export interface NodeAnswer {
  node: string;
  key: string;
  kind: Kind;
  points: AnswerPoint[];
}

export interface Evaluated {
  events: Record<string, number>;
  mistyped: number;
  keys: string[];
  groups: string[];
  key_count: number;
  group_count: number;
  answers: NodeAnswer[];
  left_out: Problem[];
}

export interface EvaluateQuestion {
  document: PlanDocument;
  sample: number;
  keys?: string[];
  most?: number;
  partly: true;
}

/** From `from` (null: since ever) to `to` (exclusive; null: open). */
export interface ExpectedSpan extends Said {
  from: number | null;
  to: number | null;
}

export interface Expectation {
  node: string;
  key: string;
  spans: ExpectedSpan[];
  tolerance?: number;
  slack?: string;
  /** What the node computed when this was written: finds it under another name. */
  digest?: string | null;
}

export interface PlanTest {
  id: number;
  name: string;
  sample: number;
  sample_name: string;
  expected: Expectation[];
  version: number;
  updated_at: string;
}

export interface Difference {
  node: string;
  key: string;
  from: number | null;
  to: number | null;
  expected: Said;
  got: Said;
  words: string;
}

export interface Outcome {
  id: number;
  name: string;
  status: "passed" | "failed" | "broken";
  words: string;
  renamed: Record<string, string>;
  count: number;
  differences: Difference[];
  problems: Problem[];
}

export interface TestRun {
  ok: boolean;
  passed: number;
  failed: number;
  broken: number;
  tests: Outcome[];
}

export interface RecordWish {
  name: string;
  streams: string[];
  last?: number;
  next?: number;
  keys?: string[];
}
