/** What a funnel says, in words and as CSV. Pure. */
import type { Funnel, FunnelStep } from "../core/api/timelines";
import { csvLines } from "./csvCells";

export const formatPercent = (share: number): string =>
  `${(share * 100).toLocaleString("en", { maximumFractionDigits: share > 0 && share < 0.1 ? 1 : 0 })} %`;

/** How those ended that came no further. */
export function describeFunnelStops({ active, expired, broken }: FunnelStep): string {
  const counts = { active, expired, broken };
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([word, count]) => `${count.toLocaleString("en")} ${word}`).join(", ");
}

const COLUMNS = [
  "step",
  "count",
  "share",
  "share_of_previous",
  "median_seconds",
  "stopped",
  "active",
  "expired",
  "broken",
] as const satisfies readonly (keyof FunnelStep)[];

export function formatFunnelCsv({ steps }: Funnel): string {
  return csvLines([COLUMNS, ...steps.map((step) => COLUMNS.map((column) => step[column]))]);
}
