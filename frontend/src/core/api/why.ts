/** Why a node says what it says, as it is on the wire. */
import type { Wire } from "./wire";

export type WhyEvents = Wire<"Boundary">;
export type WhyLink = Wire<"Link">;
export type Why = Wire<"Why">;
