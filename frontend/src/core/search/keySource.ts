/** Whose keys are offered. Pure. */

/** The only group of an aggregate over all keys. */
export const EVERYONE = "*";

/** A node that may have a lane, and the digest under which its timelines are found. */
export interface ListedNode {
  name: string;
  digest: string | null;
  grouped: boolean;
  /** Its only group is `*`: nobody need choose it. */
  everyone: boolean;
  /** Whether it has a funnel. */
  sequence?: boolean;
}

export interface Sought {
  listed: readonly ListedNode[];
  /** The nodes that somebody looks at: their keys are offered first. */
  selected: readonly string[];
  results: readonly string[] | undefined;
}

/** The node whose keys are offered: the selected one, else a result, else the last of its sort. */
export function selectKeySource({ listed, selected, results }: Sought, grouped: boolean): ListedNode | null {
  const sort = listed.filter((one) => one.grouped === grouped && !one.everyone && one.digest !== null);
  const named = (names: readonly string[] | undefined) => sort.find((one) => names?.includes(one.name));
  return named(selected) ?? named(results) ?? sort.at(-1) ?? null;
}
