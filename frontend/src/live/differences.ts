/** Describes how lanes as of a moment differ from now. Pure. */
import type { AsOfTimeline } from "../core/api/types";
import { formatLength } from "../core/ui/format";
import type { Window } from "../timechart/window";

type LaneDifferences = Pick<AsOfTimeline, "differences" | "different" | "known">;

/** The differing stretches in the visible window, up to now. */
function seen({ differences }: Pick<LaneDifferences, "differences">, { start, end }: Window): Window[] {
  return differences
    .map(({ from, to }) => ({
      start: Math.max(from ?? -Infinity, start),
      end: Math.min(to ?? Infinity, end),
    }))
    .filter((one) => one.end > one.start);
}

/** The total length of the stretches; overlaps count once. */
function together(stretches: readonly Window[]): number {
  let [sum, reached] = [0, -Infinity];
  for (const { start, end } of [...stretches].sort((a, b) => a.start - b.start)) {
    sum += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return sum;
}

/** Describe in how many lanes and for how long they differ; `some` if only visible lanes are compared. */
export function describeDifferences(
  answers: readonly LaneDifferences[],
  sight: Window,
  some: boolean,
): string {
  if (answers.length === 0) return "";
  const each = answers.map((answer) => seen(answer, sight)).filter((stretches) => stretches.length > 0);
  const unknown = answers.filter((answer) => !answer.known).length;
  const least = answers.some((answer) => answer.differences.length < answer.different) ? "at least " : "";
  const whose = some ? "in view " : "";
  const lanes = `${each.length} of ${answers.length} ${answers.length === 1 ? "lane" : "lanes"} ${whose}`;
  const words =
    each.length === 0
      ? `same as now${some ? " in visible lanes" : ""}`
      : `${lanes}${answers.length === 1 ? "differs" : "differ"} from now · ${least}${formatLength(together(each.flat()))} of the visible time`;
  return `${words}${unknown > 0 ? ` · ${unknown} had no data yet` : ""}`;
}

/** Describe the differences of each lane, one line each. */
export function describeDifferencesByLane(
  lanesByName: Readonly<Record<string, LaneDifferences>>,
  sight: Window,
): string {
  return Object.entries(lanesByName)
    .flatMap(([name, laneDifferences]) => {
      const found = seen(laneDifferences, sight);
      if (found.length === 0) return [];
      const many = `${found.length} ${found.length === 1 ? "stretch" : "stretches"}`;
      return `${name}: ${many}, ${formatLength(together(found))}`;
    })
    .join("\n");
}
