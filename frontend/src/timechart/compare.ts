/** An earlier period beside the present one: how far back it lies, and how the two differ. Pure; times are microseconds. */
import { formatMoment } from "../core/time/format";
import { lengthOfRange } from "../core/time/range";
import { DAY, resolveLocal, toLocal } from "../core/time/zone";
import { spellValue, type Display } from "./display";
import type { Lane } from "./lane";
import { leftOutAt } from "./thinned";
import { readingAt, type Reading } from "./spans";
import type { Follow } from "./view";
import type { Window } from "./window";

export const COMPARISONS = {
  period: "the period before",
  day: "a day before",
  week: "a week before",
} as const;
export type Comparison = keyof typeof COMPARISONS;

export const isComparison = (text: string | null): text is Comparison =>
  text !== null && Object.hasOwn(COMPARISONS, text);

/** So many days before, by the clocks that are shown: also over a night in which they change. */
const daysBack = (at: number, days: number): number => at - resolveLocal(toLocal(at) - days * DAY).us;

/** How far back the earlier period lies; null: of all time there is none before. */
export function shiftOf(comparison: Comparison, window: Window, span: Follow, held: boolean): number | null {
  if (comparison === "day") return daysBack(window.end, 1);
  if (comparison === "week") return daysBack(window.end, 7);
  if (held) return window.end - window.start;
  if (span === "all") return null;
  if (span === "week") return daysBack(window.end, 7);
  return lengthOfRange(span) ?? daysBack(window.end, 1);
}

export const moveBack = ({ start, end }: Window, shift: number): Window => ({
  start: start - shift,
  end: end - shift,
});

/** An earlier lane drawn at the time with which it is compared. */
export function shiftLane<Of extends Pick<Lane, "pieces" | "leftOut" | "finalUntil">>(
  lane: Of,
  shift: number,
): Of {
  return {
    ...lane,
    pieces: lane.pieces.map((piece) => (piece.t === null ? piece : { ...piece, t: piece.t + shift })),
    leftOut: lane.leftOut.map((one) => ({ ...one, from: one.from + shift, to: one.to + shift })),
    finalUntil: lane.finalUntil === null ? null : lane.finalUntil + shift,
  };
}

/** What the earlier period said at an instant of the present one; null where it does not say it exactly. */
export function earlierAt(earlier: Pick<Lane, "pieces" | "leftOut">, at: number): Reading | null {
  return leftOutAt(earlier.leftOut, at) ? null : readingAt(earlier.pieces, at);
}

/** −3.1; +20 %; same */
function formatDifference(now: number, before: number, display: Display): string {
  const by = now - before;
  const words = spellValue(Math.abs(by), display);
  return words === spellValue(0, display) ? "same" : `${by < 0 ? "−" : "+"}${words}`;
}

/** What it was before, and by how much a number differs now: 12.3 before, +3.1; play before. */
export function formatEarlier(now: Reading | null, before: Reading | null, display: Display): string {
  if (before === null) return "";
  if (before.value === null) return "unknown before";
  const words = `${spellValue(before.value, display)} before`;
  const numbers = typeof now?.value === "number" && typeof before.value === "number";
  return numbers
    ? `${words}, ${formatDifference(now.value as number, before.value as number, display)}`
    : words;
}

/** What is not known of the earlier period of a lane. */
export interface Gap {
  readonly why: "removed" | "unborn" | "unsaid" | "unknown";
  /** Until when there is nothing. */
  readonly until: number | null;
}

interface ComparedLane {
  readonly lane: Pick<Lane, "pieces" | "leftOut">;
  /** The first event of its key. */
  readonly birth: number | null;
  /** Where older results were removed. */
  readonly resultsFrom: number | null;
}

/** Why an earlier period, or its beginning, is not known; null: it is. */
export function gapOf({ lane, birth, resultsFrom }: ComparedLane, { start, end }: Window): Gap | null {
  if (resultsFrom !== null && start < resultsFrom) return { why: "removed", until: resultsFrom };
  if (birth !== null && start < birth) return { why: "unborn", until: birth };
  const first = lane.pieces.find(({ value }) => value !== null);
  const said = Math.min(first ? (first.t ?? -Infinity) : Infinity, lane.leftOut[0]?.from ?? Infinity);
  if (said >= end) return { why: "unknown", until: null };
  return said > start ? { why: "unsaid", until: said } : null;
}

const SENTENCES: Readonly<Record<Gap["why"], (until: string) => string>> = {
  removed: (until) => `results before ${until} were removed`,
  unborn: (until) => `no events before ${until}`,
  unsaid: (until) => `nothing is known before ${until}`,
  unknown: () => "nothing is known of that time",
};

/** The same in words: no events before 12:00:00 UTC (2 of 3 lanes). */
export function formatGaps(gaps: readonly (Gap | null)[]): string {
  const found = gaps.filter((gap) => gap !== null);
  const reasons = [...new Set(found.map(({ why }) => why))];
  return reasons
    .map((why) => {
      const some = found.filter((gap) => gap.why === why);
      const until = Math.max(...some.map((gap) => gap.until ?? 0));
      const words = SENTENCES[why](formatMoment(until));
      return some.length === gaps.length ? words : `${words} (${some.length} of ${gaps.length} lanes)`;
    })
    .join(" · ");
}
