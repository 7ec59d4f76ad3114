/** Rates of a stream over time, from what was counted in steps. */
import type { Activity, Tick } from "../core/api/streams";

const NOTHING = { events: 0, late: 0, too_late: 0, refused: 0 };

/** Every step of the last hour up to the one that goes on, those in which nothing came as well. */
export function listRateSteps(
  { now, step, series }: Pick<Activity, "now" | "step" | "series">,
  span = 3600,
): Tick[] {
  const known = new Map(series.map((tick) => [tick.at, tick]));
  const last = Math.floor(now / step) * step;
  const count = Math.floor(span / step);
  return Array.from({ length: count }, (_, i) => last - (count - 1 - i) * step).map(
    (at) => known.get(at) ?? { at, ...NOTHING },
  );
}

/** Events a second over the last minute that is over; a step that goes on would look slow. */
export function rateNow({ now, step, series }: Pick<Activity, "now" | "step" | "series">): number {
  const end = Math.floor(now / step) * step;
  const recent = series.filter(({ at }) => at >= end - 60 && at < end);
  return recent.reduce((sum, { events }) => sum + events, 0) / 60;
}

/** A round number of which the axis has a line, no less than any rate. */
export function roundUp(most: number): number {
  if (most <= 0) return 1;
  const scale = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((part) => part * scale >= most) ?? 10) * scale;
}
