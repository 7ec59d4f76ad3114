/** What running or stopping a plan would mean, as the server tells it. */
import type { Wire } from "./wire";

export type Fate = Wire<"Fate">;
export type RemovedNode = Wire<"RemovedNode">;
export type NodeUsers = Pick<Fate, "users">;
export type Consequences = Wire<"Consequences">;
export type StopConsequences = Wire<"StopConsequences">;
