/** What a rule would have done, as it is asked for and told. */
import type { Wire } from "../core/api/wire";
import { formatCounted, formatLength } from "../core/ui/format";

export type BackTest = Wire<"BackTest">;
export type TestedKey = BackTest["keys"][number];
export type TestedIncident = TestedKey["spans"][number];

/** A plan and a node of it, as it is drawn. */
export interface TestedNode {
  draft_of: number | null;
  document: object;
  node: string;
}

const DAY_S = 86_400;
export const RANGES = [
  { seconds: DAY_S, title: "last day" },
  { seconds: 7 * DAY_S, title: "last week" },
] as const;

export interface Range {
  start: number;
  end: number;
}

/** The range that was looked at; null where nothing came. */
export const rangeOf = ({ start, end }: BackTest): Range | null =>
  start === null || end === null || end <= start ? null : { start, end };

/** Where a span lies in a range, in percent. */
export function placeIn(span: { start: number | null; end: number | null }, range: Range) {
  const wide = range.end - range.start;
  const from = Math.max(span.start ?? range.start, range.start);
  const to = Math.min(span.end ?? range.end, range.end);
  return {
    left: `${((from - range.start) / wide) * 100}%`,
    width: `max(3px, ${(Math.max(to - from, 0) / wide) * 100}%)`,
  };
}

/** What was found, in a sentence. */
export function totalsInWords({ totals }: BackTest): string {
  if (totals.keys === 0) return "It would not have fired.";
  const found = `${formatCounted(totals.incidents, "incidents")} of ${formatCounted(totals.keys, "keys")}`;
  const lasted = totals.duration > 0 ? `, ${formatLength(totals.duration)} in all` : "";
  const late = [
    totals.retracted > 0 ? `${totals.retracted.toLocaleString("en")} retracted` : "",
    totals.amended > 0 ? `${totals.amended.toLocaleString("en")} amended` : "",
  ].filter((text) => text !== "");
  const changed = late.length > 0 ? `, ${late.join(" and ")} because of late events` : "";
  return `${found}${lasted}${changed}.`;
}

/** What would have been sent at each policy. */
export function messagesInWords({ totals: { messages, flapping } }: BackTest): string {
  const sent = `Messages: ${messages.early.toLocaleString("en")} early, ${messages.final.toLocaleString("en")} final`;
  return flapping === 0 ? `${sent}.` : `${sent}; keys flapped ${formatCounted(flapping, "times")}.`;
}

/** Less than this of the height is left free above and below the values. */
const MARGIN = 0.08;

export interface Scale {
  low: number;
  high: number;
}

/** The scale of a lane that shows the values and the limits. */
export function scaleOf(columns: readonly (readonly number[])[], limits: readonly number[]): Scale {
  const low = Math.min(...columns.map((column) => column[1] ?? 0), ...limits);
  const high = Math.max(...columns.map((column) => column[2] ?? 0), ...limits);
  const free = (high - low) * MARGIN || Math.abs(high) * MARGIN || 1;
  return { low: low - free, high: high + free };
}

/** How far down a value lies, from 0 to 1. */
export const depthOf = (value: number, { low, high }: Scale): number => (high - value) / (high - low);

/** The limit at a place of a lane, rounded to what can be told apart there. */
export function limitAt(depth: number, { low, high }: Scale): number {
  const step = 10 ** Math.floor(Math.log10((high - low) / 100));
  const value = high - Math.min(1, Math.max(0, depth)) * (high - low);
  return Number((Math.round(value / step) * step).toPrecision(12));
}

/** How far a key of the keyboard moves the limit. */
export const stepOf = (scale: Scale, isLarge: boolean): number =>
  10 ** Math.floor(Math.log10((scale.high - scale.low) / 50)) * (isLarge ? 10 : 1);
