/** In words: how what was known then differs from what is known now. Pure. */
import type { AsOfTimeline } from "../core/api/types";
import { length } from "../core/ui/format";
import type { Window } from "../timechart/window";

type Told = Pick<AsOfTimeline, "differences" | "different" | "known">;

/** Where it differs in what is seen, as far as now. */
function seen({ differences }: Pick<Told, "differences">, { start, end }: Window): Window[] {
  return differences
    .map(({ from, to }) => ({
      start: Math.max(from ?? -Infinity, start),
      end: Math.min(to ?? Infinity, end),
    }))
    .filter((one) => one.end > one.start);
}

/** How long it is in which any of them differs: what overlaps counts once. */
function together(stretches: readonly Window[]): number {
  let [sum, reached] = [0, -Infinity];
  for (const { start, end } of [...stretches].sort((a, b) => a.start - b.start)) {
    sum += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return sum;
}

/** In how many lanes, and during how much of what is seen; `some`: told are only the lanes in sight, of many. */
export function describeDifferences(told: readonly Told[], sight: Window, some: boolean): string {
  if (told.length === 0) return "";
  const each = told.map((one) => seen(one, sight)).filter((stretches) => stretches.length > 0);
  const unknown = told.filter((one) => !one.known).length;
  const least = told.some((one) => one.differences.length < one.different) ? "at least " : "";
  const whose = some ? "in view " : "";
  const lanes = `${each.length} of ${told.length} ${told.length === 1 ? "lane" : "lanes"} ${whose}`;
  const words =
    each.length === 0
      ? `same as now${some ? " in visible lanes" : ""}`
      : `${lanes}${told.length === 1 ? "differs" : "differ"} from now · ${least}${length(together(each.flat()))} of the visible time`;
  return `${words}${unknown > 0 ? ` · ${unknown} had no data yet` : ""}`;
}

/** The same, lane by lane. */
export function describeDifferencesByLane(told: Readonly<Record<string, Told>>, sight: Window): string {
  return Object.entries(told)
    .flatMap(([name, one]) => {
      const found = seen(one, sight);
      if (found.length === 0) return [];
      const many = `${found.length} ${found.length === 1 ? "stretch" : "stretches"}`;
      return `${name}: ${many}, ${length(together(found))}`;
    })
    .join("\n");
}
