/** The operators, as they describe themselves. */
import type { Wire } from "./wire";

export type ParameterType = Wire<"Parameter">["type"];
export type InputPort = Wire<"Port">;
export type Parameter = Wire<"Parameter">;
export type Category = Wire<"Operator">["category"];
export type Operator = Wire<"Operator">;
