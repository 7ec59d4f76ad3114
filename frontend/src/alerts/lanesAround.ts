/** Where the lanes of an incident are seen, with some time before and after it. Times are microseconds. */
import { formatAddress } from "../core/time/parse";
import type { Incident } from "./calls";

const LEAST = 5 * 60_000_000;

export function lanesAround(
  plan: number,
  { key, start, end }: Pick<Incident, "key" | "start" | "end">,
  now: number,
): string {
  const until = end ?? now;
  const from = start ?? until - LEAST;
  const room = Math.max(LEAST, (until - from) / 4);
  const shown = { key, from: formatAddress(from - room), to: formatAddress(until + room) };
  return `/plans/${plan}/?${new URLSearchParams(shown)}`;
}
