/** What is told of timelines to who looks closer: thinned, by state, as it was known. */
import type { Wire } from "./wire";

export type LeftOut = Wire<"LeftOut">;
export type SpelledPoint = Wire<"Point">;
export type Then = Wire<"Then", { points: SpelledPoint[] }>;
export type Timeline = Wire<"Timeline", { points: SpelledPoint[] }>;
export type History = Wire<"PaginatedHistoryRowList">;
export type Distribution = Wire<"Distribution">;
export type States = Wire<"States">;
