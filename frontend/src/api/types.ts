/** The wire types of the REST resources and of the WebSocket. Times are integer microseconds (UTC). */
import type { PlanDocument } from "./document";

export type * from "./document";
export type * from "./live";
export type * from "./looking";
export type * from "./why";
export type * from "./operators";

/** A ratio of climbing numbers is a number too, but not every port takes it. */
export type Kind = "bool" | "text" | "number" | "ratio";
export type OutputKind = Kind | "any";

export type FieldType = "text" | "number" | "bool";
export type TimeUnit = "s" | "ms" | "us" | "iso8601";

export interface StreamDeclaration {
  name: string;
  key: string;
  time: string;
  unit: TimeUnit;
  id: string | null;
  fields: Record<string, FieldType>;
  allowed_lateness: string;
  retention: string;
}

export interface Stream extends StreamDeclaration {
  owner: string;
  events: number;
  last_event_at: number | null;
  seen_fields: string[];
}

export interface Problem {
  node: string | null;
  port: string | null;
  line?: number | null;
  column?: number | null;
  field?: string | null;
  code: string;
  message: string;
  cure: string | null;
  severity: "error" | "warning" | null;
}

/** How a plan's nodes are put into queries: each in one of its own, or those with the same keys together. */
export type Placement = "isolated" | "together";

export interface PlanNode {
  name: string;
  digest: string;
  kind: Kind;
  status: string;
}

export interface Plan {
  id: number;
  name: string;
  owner: string;
  document: PlanDocument;
  version: number;
  saved_by: string | null;
  saved_at: string | null;
  running: boolean;
  /** The version that runs. */
  running_version: number | null;
  placement: Placement;
  updated_at: string;
  problems: Problem[];
  nodes: PlanNode[];
}

export interface CheckAnswer {
  ok: boolean;
  problems: Problem[];
  /** Digests only where the whole plan is right. */
  nodes: Record<string, { kind: OutputKind; digest: string | null }>;
}

export interface Me {
  username: string;
  is_staff: boolean;
}

export interface KeyRow {
  key: string;
  known_at: number | null;
}

export interface Counters {
  events: number;
  late: number;
  too_late: number;
  duplicates: number;
  conflicts: number;
  revisions: number;
}

/** How fast a node works, what waits to be read, and what it keeps. */
export interface Rates {
  events_per_second: number;
  processed_per_second: number;
  batch_ms: number;
  lag: number;
  lag_of: "events" | "batches";
  state_rows: number;
  state_bytes: number;
}

/** How far a node has come that catches up with its stream. */
export interface Backlog {
  events: number;
  done: number;
  seconds_left: number | null;
}

export interface NodeStatus {
  name: string;
  digest: string;
  desired: string;
  observed: string;
  words: string;
  error: string;
  /** What is wrong in words, and what helps; both empty where nothing is. */
  trouble: string;
  cure: string;
  counters: Partial<Counters>;
  rates: Partial<Rates>;
  backlog?: Backlog | null;
  final_until: number | null;
  as_of: number | null;
  /** Who owns the computation: whoever ran it first. */
  owner?: string;
}

export interface NodeUser {
  plan: number;
  plan_name: string;
  name: string;
  owner: string;
}

/** A node as it is found by its digest, whoever uses it. */
export interface NodeDetail {
  digest: string;
  owner: string;
  users: NodeUser[];
  status: { observed: string; words: string; error: string; restarts: number; mended?: string };
  counters: Partial<Counters>;
  rates: Partial<Rates>;
  backlog?: Backlog | null;
  final_until: number | null;
}
