/** Describes which nodes of a stopped plan still run, and for whom. Pure. */
import type { Fate } from "../../core/api/consequences";

const FEW = 3;

/** The note beside the lanes, and its full title; null if none of the nodes runs. */
export function describeStillRunning(
  nodes: readonly Pick<Fate, "names" | "users">[],
): { words: string; title: string } | null {
  const kept = nodes.filter(({ users }) => users.length > 0);
  const names = kept.flatMap((node) => node.names);
  if (names.length === 0) return null;
  const listed = names.length <= FEW ? names.join(", ") : `${names.length} of its nodes`;
  const plans = kept.flatMap(({ users }) => users.map((user) => `${user.owner}'s “${user.plan_name}”`));
  return {
    words: `keeps running for others: ${listed}`,
    title: `${names.join(", ")}: for ${[...new Set(plans)].join(", ")}`,
  };
}
