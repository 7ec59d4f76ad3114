/** In words: how what was known then differs from what is known now. Pure. */
import type { Then } from "../api/types";
import { length } from "../ui/words";

type Told = Pick<Then, "different" | "seconds" | "open" | "known">;

/** In how many stretches, and for how long; `some`: told are only the lanes in sight, of many. */
export function differing(told: readonly Told[], some: boolean): string {
  if (told.length === 0) return "";
  const many = told.reduce((sum, one) => sum + one.different, 0);
  const seconds = told.reduce((sum, one) => sum + one.seconds, 0);
  const open = told.some((one) => one.open) ? " and what is open" : "";
  const unknown = told.filter((one) => !one.known).length;
  const whose = some ? `of the ${told.length} lanes in sight: ` : "";
  const words =
    many === 0
      ? "the same as now"
      : `differs from now in ${many} ${many === 1 ? "stretch" : "stretches"}, ${length(seconds * 1_000_000)}${open}`;
  return `${whose}${words}${unknown > 0 ? ` · of ${unknown} nothing was known yet` : ""}`;
}
