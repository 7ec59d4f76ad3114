/** The answers about timelines: thinned, by state, as of a moment. */
import type { WirePoint } from "./points";
import type { Wire } from "./wire";

export type LeftOut = Wire<"LeftOut">;
export type TimelinePoint = Wire<"Point">;
export type AsOfTimeline = Wire<"AsOfTimeline", { points: TimelinePoint[] }>;
export type Timeline = Wire<"Timeline", { points: TimelinePoint[] }>;
export type History = Wire<"PaginatedHistoryRowList">;
export type Distribution = Wire<"Distribution">;
export type KeyTimeline = Wire<"KeyTimeline", { points: WirePoint[]; left_out: LeftOut[] }>;
export type KeyTimelines = Wire<"KeyTimelines", { keys: KeyTimeline[] }>;
export type States = Wire<"States">;
export type Funnel = Wire<"Funnel">;
export type FunnelStep = Wire<"FunnelStep">;
export type StoppedKey = Wire<"StoppedKey">;
