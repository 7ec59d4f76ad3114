/** What the lanes say while they show none. */
import { may } from "../core/api/rights";
import type { Me, Plan } from "../core/api/types";

type Whose = Pick<Plan, "owner" | "owner_kind" | "rights" | "running">;

/** Who can help somebody who may not run this plan. */
function helper({ owner, owner_kind }: Whose): string {
  return owner_kind === "team" ? `somebody of the team ${owner}` : owner;
}

interface Standing {
  readonly observed: string;
  readonly words: string;
  readonly trouble: string;
  readonly hint: string;
}

/** What keeps a node from having keys, where its query does not run; null where it does, or is to run no more. */
export function describeStanding(name: string, { observed, words, trouble, hint }: Standing): string | null {
  const why = [trouble, hint].filter(Boolean).join(" ");
  const told = words === observed || words === "" ? "" : ` (${words})`;
  if (observed === "starting") return `“${name}” has no key yet: its query is starting${told}.`;
  if (observed === "retrying")
    return `“${name}” has no key yet: its query failed, and is tried again${told}. ${why}`.trim();
  return observed === "failed" ? `“${name}” has no key: its query has failed. ${why}`.trim() : null;
}

export function describeEmpty(plan: Whose | null, me: Pick<Me, "role"> | null): string {
  const appear = "as soon as it has a key, every node's timeline appears here.";
  if (plan?.running) return `The plan runs; ${appear}`;
  if (plan === null || may("operate", plan)) return `Run the plan; ${appear}`;
  // Who only looks cannot be helped by the owner, and may be the owner.
  return me?.role === "viewer"
    ? "The plan does not run. Your role does not let you run it. Ask an administrator."
    : `The plan does not run, and you may not run it. Ask ${helper(plan)}.`;
}
