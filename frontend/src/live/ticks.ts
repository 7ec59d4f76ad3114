/** The events of a key as ticks: in order, late, or too late, by their order of arrival. Pure. */
import type { Ticks } from "../core/api/streams";
import { formatClock, formatOffset } from "../core/time/format";
import { formatLength } from "../core/ui/format";
import { shareOf } from "../timechart/timeScale";
import type { Window } from "../timechart/window";

export type TickKind = "in order" | "late" | "too late" | "unknown";

export interface Tick {
  readonly t: number;
  /** How far behind the greatest time before it; null if unknown. */
  readonly late: number | null;
  readonly sort: TickKind;
}

function sortOf(late: number | null, { allowed_lateness: allowed, retention }: Ticks): TickKind {
  if (late === null) return "unknown";
  if (late <= allowed) return "in order";
  return late > retention ? "too late" : "late";
}

/** Classify each event: late is beyond the allowed lateness, too late is older than the retention. */
export function classifyTicks(answer: Ticks): Tick[] {
  return answer.events.map(({ t, late }) => ({ t, late, sort: sortOf(late, answer) }));
}

/** Build one SVG path for all ticks of a sort, 1,000 units wide and 20 high. */
export function buildStrokesPath(ticks: readonly Tick[], sort: TickKind, window: Window): string {
  const top = sort === "late" || sort === "too late" ? 0 : 8;
  return ticks
    .filter((tick) => tick.sort === sort)
    .map(({ t }) => `M${(shareOf(t, window) * 1000).toFixed(2)} ${top}V20`)
    .join("");
}

/** Find the tick nearest to an instant, at most `near` away. */
export function findNearestTick(ticks: readonly Tick[], t: number, near: number): Tick | null {
  const distance = (tick: Tick): number => Math.abs(tick.t - t);
  const found = ticks.reduce<Tick | null>(
    (best, tick) => (best === null || distance(tick) < distance(best) ? tick : best),
    null,
  );
  return found && distance(found) <= near ? found : null;
}

const many = (count: number, word: string): string =>
  count === 0 ? "" : `${count.toLocaleString("en")} ${word}`;

/** Describe how many ticks are visible, and how many of them are late. */
export function countTicks(ticks: readonly Tick[], complete: boolean): string {
  if (ticks.length === 0 && !complete) return "Events took too long to load – retry";
  const of = (sort: TickKind): number => ticks.filter((tick) => tick.sort === sort).length;
  const events = `${complete ? "" : "newest "}${ticks.length.toLocaleString("en")} event${ticks.length === 1 ? "" : "s"}`;
  return [events, many(of("late"), "late"), many(of("too late"), "too late")].filter(Boolean).join(", ");
}

/** Format the time and the lateness of a tick. */
export function spellTick({ t, late, sort }: Tick): [string, string] {
  const when = `${formatClock(t)} ${formatOffset(t)}`;
  if (late === null) return [when, "lateness not known yet"];
  const came = late === 0 ? "arrived in order" : `arrived ${formatLength(late)} after a later event`;
  if (sort === "in order") return [when, late === 0 ? came : `${came}, within the allowed lateness`];
  if (sort === "late") return [when, `${came}: late, and applied`];
  return [when, `${came}: older than the retention`];
}
