/** A dashboard's address: version, key, stretch of time and cursor, so that it opens the same for others. Pure. */
import type { Window } from "../timechart/window";
import { formatAddress, parseAddress } from "../core/time/parse";
import { isRange } from "../core/time/range";

export interface View {
  /** As it was saved then; null: the newest. */
  version: number | null;
  /** Null: the dashboard's own. */
  key: string | null;
  group: string | null;
  range: string | null;
  fixed: Window | null;
  cursor: number | null;
}

export function viewOf(search: string): View {
  const query = new URLSearchParams(search);
  const version = query.get("version");
  const range = query.get("range");
  const [start, end] = [parseAddress(query.get("from")), parseAddress(query.get("to"))];
  return {
    version: version !== null && /^[1-9]\d{0,8}$/.test(version) ? Number(version) : null,
    key: query.get("key"),
    group: query.get("group"),
    range: isRange(range) ? range : null,
    fixed: start !== null && end !== null && start < end ? { start, end } : null,
    cursor: parseAddress(query.get("cursor")),
  };
}

export function searchOf({ version, key, group, range, fixed, cursor }: View): string {
  const query = new URLSearchParams();
  if (version !== null) query.set("version", String(version));
  if (key !== null && key !== "") query.set("key", key);
  if (group !== null && group !== "") query.set("group", group);
  if (fixed) {
    query.set("from", formatAddress(fixed.start));
    query.set("to", formatAddress(fixed.end));
  } else if (range !== null) query.set("range", range);
  if (cursor !== null) query.set("cursor", formatAddress(cursor));
  const text = query.toString().replaceAll("%3A", ":");
  return text === "" ? "" : `?${text}`;
}
