/** What the lanes say while they show none. */
import { may } from "../core/api/rights";
import type { Me, Plan } from "../core/api/types";

type Whose = Pick<Plan, "owner" | "owner_kind" | "rights" | "running">;

/** Who can help somebody who may not run this plan. */
function helper({ owner, owner_kind }: Whose): string {
  return owner_kind === "team" ? `somebody of the team ${owner}` : owner;
}

interface Looked {
  readonly keys: readonly unknown[];
  /** Why they could not be read. */
  readonly failure: string | null;
}

interface Standing {
  readonly observed: string;
  readonly words: string;
  readonly trouble: string;
  readonly cure: string;
}

/** What keeps a node from having keys, where its query does not run; null where it does, or is to run no more. */
export function standWords(name: string, { observed, words, trouble, cure }: Standing): string | null {
  const why = [trouble, cure].filter(Boolean).join(" ");
  const told = words === observed || words === "" ? "" : ` (${words})`;
  if (observed === "starting") return `“${name}” has no key yet: its query is starting${told}.`;
  if (observed === "retrying")
    return `“${name}” has no key yet: its query failed, and is tried again${told}. ${why}`.trim();
  return observed === "failed" ? `“${name}” has no key: its query has failed. ${why}`.trim() : null;
}

/**
 * Why no key is known yet, though there may be some; null once it is known which there are, where some are sought that
 * there are not, and where nobody looks.
 */
export function lookWords(
  digest: string | null,
  found: Looked | null,
  stands: string | null,
  sought = "",
): string | null {
  if (digest === null) return null;
  if (found === null) return "Loading keys…";
  if (found.failure !== null) return `Could not load its keys; retrying: ${found.failure}`;
  return found.keys.length > 0 || sought !== "" ? null : stands;
}

export function emptyWords(plan: Whose | null, me: Pick<Me, "role"> | null): string {
  const appear = "as soon as it has a key, every node's timeline appears here.";
  if (plan?.running) return `The plan runs; ${appear}`;
  if (plan === null || may("operate", plan)) return `Run the plan; ${appear}`;
  // Who only looks cannot be helped by the owner, and may be the owner.
  return me?.role === "viewer"
    ? "The plan does not run. Your role does not let you run it. Ask an administrator."
    : `The plan does not run, and you may not run it. Ask ${helper(plan)}.`;
}
