/** What the server tells of samples, evaluations and tests. Times are integer microseconds (UTC). */
import type { PlanDocument, Problem, Scalar } from "./types";
import type { GivenRule } from "./streams";
import type { Wire } from "./wire";

export type Sample = Wire<"Sample">;
export type SampleEvent = Record<string, Scalar | null>;

/** An event as it was pushed, and its time in microseconds. */
export interface TimedEvent {
  t: number;
  event: SampleEvent;
}
type WireLine = Wire<"Line">;

/** A value; of numbers also the slope; of ratios both lines. Unknown is null. */
export interface ExpectedValue {
  value?: Scalar | null;
  slope?: number;
  num?: WireLine | null;
  den?: WireLine | null;
}

export interface AnswerPoint extends ExpectedValue {
  t: number | null;
}

export type NodeAnswer = Omit<Wire<"Answer">, "points" | "value" | "final_until"> & { points: AnswerPoint[] };
export type Evaluated = Wire<
  "Evaluated",
  { answers: NodeAnswer[]; warnings: Problem[]; left_out: Problem[] }
>;
export type EvaluateQuestion = Wire<"EvaluateRequest", { document: PlanDocument; partly: true }>;

/** From `from` (null: since ever) to `to` (exclusive; null: open). */
export interface ExpectedSpan extends ExpectedValue {
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

export type PlanTest = Wire<"PlanTest", { expected: Expectation[] }>;
export type Difference = Wire<"Difference", { expected: ExpectedValue; got: ExpectedValue }>;
export type Outcome = Wire<
  "Outcome",
  { differences: Difference[]; problems: Problem[]; warnings: Problem[] }
>;
export type TestRun = Wire<"TestRun", { tests: Outcome[] }>;
export type RecordWish = Wire<"NewSampleRequest", { streams: string[] }>;

/** A file with events of one stream, and how its fields are mapped. */
export interface Upload {
  file: File;
  mapping: readonly GivenRule[];
}
