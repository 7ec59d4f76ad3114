/** The span of an incident in words. Times are microseconds. */
import { formatInstant, formatMoment } from "../core/time/format";
import { formatLength } from "../core/ui/format";
import type { Incident } from "./calls";

type Span = Pick<Incident, "start" | "end">;

export const formatStart = (start: number | null): string =>
  start === null ? "since ever" : formatInstant(start);
export const formatEnd = (end: number | null): string => (end === null ? "open" : formatInstant(end));

/** From when to when, each with its day. */
export function formatSpan({ start, end }: Span): string {
  const from = start === null ? "since ever" : `from ${formatMoment(start)}`;
  return end === null ? `${from}, open` : `${from} to ${formatMoment(end)}`;
}

/** How long it lasted, or has lasted by now; empty where that is not known. */
export function formatDuration({ start, end }: Span, now: number): string {
  const until = end ?? now;
  return start === null || until < start ? "" : formatLength(until - start);
}
