/** Plans, their nodes and the streams that they read, as they are on the wire. */
import type { PlanDocument } from "./document";
import type { Wire } from "./wire";

/** A ratio of climbing numbers is a number too, but not every port takes it. */
export type Kind = Wire<"Node">["kind"];
export type OutputKind = Wire<"CheckedNode">["kind"];
export type FieldType = Wire<"FieldGuess">["type"];
/** The units that have a name; all others are formats, with a % in them. */
export type TimeUnit = "s" | "ms" | "us" | "ns" | "iso8601";

/** A stream has all parts of its declaration; what is sent may leave some out. */
export type Stream = Required<Wire<"Stream">>;
export type StreamDeclaration = Required<Wire<"DeclarationRequest">>;

/** What is found on the page itself knows no line and no field. */
export type Problem = Omit<Wire<"Problem">, "line" | "column" | "stream" | "field"> &
  Partial<Pick<Wire<"Problem">, "line" | "column" | "stream" | "field">>;

export type Placement = Wire<"Plan">["placement"];
export type PlanNode = Wire<"UsedNode">;
export type Plan = Wire<"Plan", { document: PlanDocument; problems: Problem[] }>;
export type CheckAnswer = Wire<"Checked", { problems: Problem[] }>;
export type Me = Wire<"Me">;
export type KeyRow = Wire<"Key">;
type Counters = Wire<"Counters">;
export type Rates = Wire<"Rates">;
export type Backlog = Wire<"Backlog">;
export type NodeUser = Wire<"NodeUser">;
export type NodeDetail = Wire<"NodeDetail">;
/** The same in a list, and as acts on it answer. */
export type ListedNode = Wire<"Node">;

/** A node of a plan as the WebSocket tells it; before the first word of it, the page makes up its own. */
export type NodeStatus = Pick<
  Wire<"NodeStatus">,
  "desired" | "observed" | "words" | "error" | "trouble" | "hint"
> & {
  name: string;
  digest: string;
  counters: Partial<Counters>;
  rates: Partial<Rates>;
  backlog?: Backlog | null;
  final_until: number | null;
  as_of: number | null;
  /** Who owns the computation: whoever ran it first. */
  owner?: string;
};
