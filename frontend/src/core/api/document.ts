/** The plan document, as it is on the wire. */
export type Scalar = string | number | boolean;
/** A step of a sequence, or what breaks it: events of a stream that meet a condition. */
export interface SequencePart {
  name?: string;
  stream: string;
  where?: string;
  within?: string;
  between?: string[];
}
export type ParameterValue = Scalar | SequencePart[];

/** One node of a plan document, as it is on the wire. Keys that are not known here are kept. */
export interface DocumentNode {
  op: string;
  stream?: string;
  inputs?: Record<string, string | string[]>;
  params?: Record<string, ParameterValue>;
  [other: string]: unknown;
}

export type GroupColour = "blue" | "green" | "orange" | "purple" | "grey";

/** A frame around nodes. */
export interface Group {
  title: string;
  nodes: string[];
  colour?: GroupColour;
}

/** A text at the head of the plan's text, or one that stands before a node and may have a place on the canvas. */
export type PlanComment =
  string | { text: string; before?: string | null; at?: [number, number]; size?: [number, number] };

export interface PlanDocument {
  version: 1;
  name: string;
  nodes: Record<string, DocumentNode>;
  results?: string[];
  layout?: Record<string, [number, number]>;
  groups?: Group[];
  comments?: PlanComment[];
  [other: string]: unknown;
}
