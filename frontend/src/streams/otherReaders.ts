/** How many plans of others read a stream, and whose they are. Pure. */
import type { Activity } from "../core/api/streams";

/** Null: there are none, or it is not told. */
export function describeOtherReaders(others: Activity["others"]): string | null {
  if (others === null || others.plans === 0) return null;
  const owners = others.owners.map((owner) =>
    owner.owner_kind === "team" ? `the team ${owner.owner}` : owner.owner,
  );
  const reads = others.plans === 1 ? "1 plan of others reads" : `${others.plans} plans of others read`;
  return `${reads} it, which you may not view: ${owners.join(", ")}. They stop when it is no longer shared with their owners.`;
}
