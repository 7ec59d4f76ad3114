/** Why a node says what it says, as it is on the wire. */
import type { Scalar } from "./document";
import type { Kind } from "./types";

/** The raw events of an instant; `found` is false where they were out of reach. */
export interface WhyEvents {
  stream: string;
  t: number;
  events: Record<string, Scalar>[];
  found: boolean;
}

/** What one node says of a key at an instant, and why; the inputs in `because` follow in the chain. */
export interface WhyLink {
  node: string;
  op: string;
  title: string;
  key: string;
  at: number;
  kind: Kind;
  value: Scalar | null;
  from: number | null;
  to: number | null;
  sentence: string;
  ends: string;
  because: string[];
  events: WhyEvents[];
  final: boolean;
}

/** The chain of reasons, the node that was asked about first. */
export interface Why {
  node: string;
  key: string;
  at: number;
  complete: boolean;
  chain: WhyLink[];
}
