/** The wire types of dashboards. */
import type { Kind } from "./types";

export type ChartType = "lane" | "line" | "stack" | "number" | "table";
export type Range = "1m" | "5m" | "15m" | "1h" | "6h" | "24h";
export type Place = [x: number, y: number, width: number, height: number];
export type Order = "most" | "least";

/** A node of a plan by its name, and the digest under which it ran last. */
export interface SourceRef {
  plan: number;
  node: string;
  digest?: string | null;
}

export interface ChartDraft extends SourceRef {
  type: ChartType;
  title: string;
  /** A key or a group; null: the one that is chosen on the dashboard. */
  key: string | null;
  place: Place;
  top?: number;
  order?: Order;
  unit?: string;
  change?: Range | null;
}

export interface Chart extends ChartDraft {
  id: string;
}

export interface BoardDocument {
  charts: Chart[];
  range: Range;
  key: string;
}

interface BoardHead {
  id: number;
  name: string;
  owner: string;
  version: number;
  newest: number;
  updated_at: string;
}

export interface Board extends BoardHead {
  document: BoardDocument;
}

export interface BoardSummary extends BoardHead {
  charts: number;
}

export interface BoardVersion {
  version: number;
  name: string;
  saved_by: string | null;
  saved_at: string;
}

export type SourceState = "running" | "stopped" | "not_run" | "renamed" | "gone" | "deleted";

/** What runs of a node, or why nothing does. */
export interface Source {
  plan: number;
  node: string;
  plan_name: string | null;
  state: SourceState;
  digest: string | null;
  kind: Kind | null;
  operator: string | null;
  observed: string | null;
  words: string | null;
  error: string | null;
  /** The name that the node has now, where it was renamed. */
  now: string | null;
}
