/** The text in place of the lanes while there are none. */
import { may } from "../core/api/rights";
import type { Me, Plan } from "../core/api/types";

type Whose = Pick<Plan, "owner" | "owner_kind" | "rights" | "running">;

/** Name the person or team that can run this plan for somebody. */
function helper({ owner, owner_kind }: Whose): string {
  return owner_kind === "team" ? `somebody of the team ${owner}` : owner;
}

interface Standing {
  readonly observed: string;
  readonly words: string;
  readonly trouble: string;
  readonly hint: string;
}

/** Describe why a node has no keys; null if its query runs, or is to stop. */
export function describeStanding(name: string, { observed, words, trouble, hint }: Standing): string | null {
  const why = [trouble, hint].filter(Boolean).join(" ");
  const detail = words === observed || words === "" ? "" : ` (${words})`;
  if (observed === "starting") return `“${name}” has no key yet: its query is starting${detail}.`;
  if (observed === "retrying")
    return `“${name}” has no key yet: its query failed, and is tried again${detail}. ${why}`.trim();
  return observed === "failed" ? `“${name}” has no key: its query has failed. ${why}`.trim() : null;
}

export function describeEmpty(plan: Whose | null, me: Pick<Me, "role"> | null): string {
  const appear = "as soon as it has a key, every node's timeline appears here.";
  if (plan?.running) return `The plan runs; ${appear}`;
  if (plan === null || may("operate", plan)) return `Run the plan; ${appear}`;
  // The owner cannot help a viewer, and a viewer may be the owner.
  return me?.role === "viewer"
    ? "The plan does not run. Your role does not let you run it. Ask an administrator."
    : `The plan does not run, and you may not run it. Ask ${helper(plan)}.`;
}
