/** What running or stopping a plan would mean, as the server tells it. */
import type { Placement } from "./types";

export interface NodeUsers {
  users: { plan: number; plan_name: string; owner: string }[];
}

/** What would happen to a node of a plan that is run. */
export interface Fate extends NodeUsers {
  digest: string;
  names: string[];
  fate: "new" | "joined" | "kept" | "resumed" | "moved";
  observed: string;
  words: string;
  since: number | null;
  /** Null: it is not there yet. */
  owner: string | null;
  /** The plan runs another computation under its name. */
  replaces: boolean;
  /** The streams whose retained events it reads from the beginning. */
  reads: string[];
}

/** A node that the plan would not use any more. */
export interface GoneNode extends NodeUsers {
  digest: string;
  names: string[];
  fate: "stopped" | "left";
}

/** What running a plan would mean. */
export interface Consequences {
  placement: Placement;
  nodes: Fate[];
  gone: GoneNode[];
  queries: { name: string | null; starts: boolean; nodes: string[] }[];
  replayed_events: Record<string, number>;
  words: string;
}

/** What stopping it would mean. */
export interface StopConsequences {
  gone: GoneNode[];
  words: string;
}
