/** The messages of the WebSocket. Times are integer microseconds (UTC). */
import type { PeopleMessage, PlanMessage } from "./presence";
import type { LeftOut } from "./timelines";
import type { Kind, NodeStatus } from "./nodes";
import type { WirePoint } from "./points";

export interface Behind {
  until: number | null;
  words: string;
  /** Further behind than twice its usual lag. */
  late: boolean;
}

interface Standing {
  final_until: number | null;
  /** As far as the node's sources have come, by what is final and the allowed lateness; null where it has seen none. */
  newest_event?: number | null;
  as_of: number | null;
  /** When the node ceased to be computed, by the wall clock; null while it goes on. */
  stopped_at?: number | null;
  /** Until which event time the node has seen (null: nothing), where more has come than that; and why, in words. */
  behind?: Behind | null;
}

export interface SnapshotMessage extends Standing {
  type: "snapshot";
  id: string;
  seq: number;
  node: string;
  key: string;
  kind: Kind;
  points: WirePoint[];
  version: number;
  /** Of a chart: what is left out of it, and when the key was born. */
  left_out?: LeftOut[];
  birth?: number | null;
  /** There is more before `from`, at which the points begin, than one message carries. */
  truncated?: boolean;
  from?: number;
}

export interface RevisionMessage extends Standing {
  type: "revision";
  id: string;
  seq: number;
  version: number;
  known_at: number | null;
  start: number | null;
  end: number | null;
  pieces: WirePoint[];
  left_out?: LeftOut[];
  /** Of a chart, whose start and end are those of whole pixels: what really changed. */
  changed?: [start: number | null, end: number | null];
}

export interface ProgressMessage extends Standing {
  type: "progress";
  id: string;
}

/** The keys with the most, or the least: each with what it says from about now on. */
export interface RankingMessage extends Standing {
  type: "ranking";
  id: string;
  node: string;
  kind: Kind;
  rows: { key: string; points: WirePoint[] }[];
  /** How many keys were compared, of how many there are. */
  ranked: number;
  total: number;
}

export interface StatusMessage {
  type: "status";
  plan: number;
  nodes: NodeStatus[];
}

export interface ErrorMessage {
  type: "error";
  id: string | null;
  code: string;
  message: string;
  /** Which plan may not be seen any more. */
  plan?: number;
}

export type ServerMessage =
  | SnapshotMessage
  | RevisionMessage
  | ProgressMessage
  | RankingMessage
  | StatusMessage
  | PlanMessage
  | PeopleMessage
  | ErrorMessage
  | { type: "pong" };

export type ClientMessage =
  | {
      type: "subscribe";
      id: string;
      node: string;
      key: string;
      from: number | null;
      points?: number;
      detail?: [number, number] | null;
    }
  | { type: "rank"; id: string; node: string; top: number; order: "most" | "least"; at: number | null }
  | { type: "unsubscribe"; id: string }
  | { type: "watch" | "unwatch" | "leave"; plan: number }
  | { type: "attend"; plan: number; selected: readonly string[] }
  | { type: "ping" };
