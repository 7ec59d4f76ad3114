/** Where the lanes of an incident are seen, with some time before and after it. Times are microseconds. */
import { formatAddress } from "../core/time/parse";
import type { Incident } from "./calls";

const LEAST = 5 * 60_000_000;

export function windowAround(
  { start, end }: Pick<Incident, "start" | "end">,
  now: number,
): { start: number; end: number } {
  const until = end ?? now;
  const from = start ?? until - LEAST;
  const room = Math.max(LEAST, (until - from) / 4);
  return { start: from - room, end: until + room };
}

export function lanesAround(
  plan: number,
  incident: Pick<Incident, "key" | "start" | "end">,
  now: number,
): string {
  const { start, end } = windowAround(incident, now);
  const shown = { key: incident.key, from: formatAddress(start), to: formatAddress(end) };
  return `/plans/${plan}/?${new URLSearchParams(shown)}`;
}
