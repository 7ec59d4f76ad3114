/** The messages of the WebSocket: those of the server are declared in `timeline_app/web/live/wire.py`. */
import type { Kind, NodeStatus } from "./nodes";
import type { WirePoint } from "./points";
import type { LeftOut } from "./timelines";
import type { Wire } from "./wire";

export type SnapshotMessage = Wire<
  "SnapshotMessage",
  { kind: Kind; points: WirePoint[]; left_out?: LeftOut[] }
>;
export type RevisionMessage = Wire<
  "RevisionMessage",
  {
    pieces: WirePoint[];
    left_out?: LeftOut[];
    changed?: [start: number | null, end: number | null];
  }
>;
export type ProgressMessage = Wire<"ProgressMessage">;
export type Behind = NonNullable<ProgressMessage["behind"]>;
export type RankingMessage = Wire<
  "RankingMessage",
  { kind: Kind; rows: { key: string; points: WirePoint[] }[] }
>;
export type StatusMessage = Wire<"StatusMessage", { nodes: NodeStatus[] }>;
export type PlanMessage = Wire<"PlanMessage">;
export type PeopleMessage = Wire<"PeopleMessage">;
/** Somebody on another page of a plan, and what is selected there. */
export type PresentPerson = PeopleMessage["people"][number];
export type AlertsMessage = Wire<"BellMessage"> | Wire<"IncidentsMessage">;
export type ErrorMessage = Wire<"ErrorMessage">;

export type ServerMessage =
  | SnapshotMessage
  | RevisionMessage
  | ProgressMessage
  | RankingMessage
  | StatusMessage
  | PlanMessage
  | PeopleMessage
  | AlertsMessage
  | ErrorMessage
  | Wire<"PongMessage">;

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
  | { type: "bell" }
  | { type: "ping" };
