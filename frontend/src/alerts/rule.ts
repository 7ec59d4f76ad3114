/** The rule of an alert in words: what its node in the plan is set to. */
import type { DocumentNode, PlanDocument } from "../core/api/types";

const DURATION = /^([\d.]+)(us|ms|s|min|h|d)$/;

/** 5 min of 5min. */
const spellDuration = (value: unknown): string => String(value).replace(DURATION, "$1 $2");

const lasting = (value: unknown): string => (value == null ? "" : ` for ${spellDuration(value)}`);

function describeAlertNode({ params = {}, inputs = {} }: DocumentNode): string {
  const input = [inputs.of].flat()[0] ?? "its input";
  const { above, below, clear, for: wait, clear_after: calm } = params;
  if (above == null && below == null)
    return `Fires when ${input} is true${lasting(wait)}, and ends when it is false${lasting(calm)}.`;
  const crossed = above == null ? `less than ${String(below)}` : `greater than ${String(above)}`;
  const limit = String(clear ?? above ?? below);
  const cleared = above == null ? `at least ${limit}` : `at most ${limit}`;
  return `Fires when ${input} is ${crossed}${lasting(wait)}, and ends when it is ${cleared}${lasting(calm)}.`;
}

/** Null where the plan has no such node any more. */
export function describeRule(document: PlanDocument, name: string): string | null {
  const node = Object.hasOwn(document.nodes, name) ? document.nodes[name] : undefined;
  if (node === undefined) return null;
  return node.op === "alert" ? describeAlertNode(node) : `Fires while ${name} is true.`;
}
