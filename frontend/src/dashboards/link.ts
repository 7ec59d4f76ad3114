/** A dashboard's address: version, key, stretch of time and cursor, so that it opens the same for others. Pure. */
import type { Window } from "../timechart/window";
import { formatAddress, parseAddress } from "../core/time/parse";
import { isRange } from "../core/time/range";

export interface View {
  /** As it was saved then; null: the newest. */
  version: number | null;
  /** Those that are selected, the first of them for charts that show one; null: the dashboard's own. */
  keys: readonly string[] | null;
  groups: readonly string[] | null;
  range: string | null;
  fixed: Window | null;
  cursor: number | null;
}

/** As many keys, or groups, can be selected: a chart is repeated for each. */
export const MOST_SELECTED = 24;

function selectedIn(query: URLSearchParams, name: string): readonly string[] | null {
  const named = [...new Set(query.getAll(name))].filter((one) => one !== "");
  return named.length === 0 ? null : named.slice(0, MOST_SELECTED);
}

export function viewOf(search: string): View {
  const query = new URLSearchParams(search);
  const version = query.get("version");
  const range = query.get("range");
  const [start, end] = [parseAddress(query.get("from")), parseAddress(query.get("to"))];
  return {
    version: version !== null && /^[1-9]\d{0,8}$/.test(version) ? Number(version) : null,
    keys: selectedIn(query, "key"),
    groups: selectedIn(query, "group"),
    range: isRange(range) ? range : null,
    fixed: start !== null && end !== null && start < end ? { start, end } : null,
    cursor: parseAddress(query.get("cursor")),
  };
}

export function searchOf({ version, keys, groups, range, fixed, cursor }: View): string {
  const query = new URLSearchParams();
  if (version !== null) query.set("version", String(version));
  for (const key of keys ?? []) if (key !== "") query.append("key", key);
  for (const group of groups ?? []) if (group !== "") query.append("group", group);
  if (fixed) {
    query.set("from", formatAddress(fixed.start));
    query.set("to", formatAddress(fixed.end));
  } else if (range !== null) query.set("range", range);
  if (cursor !== null) query.set("cursor", formatAddress(cursor));
  const text = query.toString().replaceAll("%3A", ":");
  return text === "" ? "" : `?${text}`;
}
