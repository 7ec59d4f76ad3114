/** Where the axis of a window has its ticks: on the round times of the clocks that are shown. Pure. */
import { formatClock, formatDay, formatMinute } from "./format";
import { DAY, MINUTE, offsetAt, resolveLocal, toLocal } from "./zone";

interface Span {
  readonly start: number;
  readonly end: number;
}

const SECOND = 1_000_000;
const HOUR = 60 * MINUTE;
/** Steps within a day; each divides it. */
const OF_DAY = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]
  .map((seconds) => seconds * SECOND)
  .concat([1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE))
  .concat([1, 2, 3, 6, 12].map((hours) => hours * HOUR));
const OF_MONTHS = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200];
const MONTH = 30.4375 * DAY;
/** The first Monday of the epoch. */
const MONDAY = 4 * DAY;

export interface Ticks {
  readonly at: readonly number[];
  /** The length of time between them, of months and years about. */
  readonly step: number;
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);

/** The first instant with other clocks than those of the start. */
function findChange({ start, end }: Span): number {
  let [before, after] = [Math.floor(start / 1000), Math.ceil(end / 1000)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle * 1000) === offsetAt(start)) before = middle;
    else after = middle;
  }
  return after * 1000;
}

/** A window in stretches in which the clocks do not change; those that have less than a day change once at most. */
function stretchesOf(window: Span): Span[] {
  const { start, end } = window;
  if (offsetAt(start) === offsetAt(end)) return [window];
  const change = findChange(window);
  return [
    { start, end: change - 1 },
    { start: change, end },
  ];
}

/** Local times that are multiples of a step. A time that clocks show twice has two ticks, one that they skip none. */
const withinDay = (window: Span, step: number): number[] =>
  stretchesOf(window).flatMap(({ start, end }) => {
    const offset = offsetAt(start);
    const numbers = range(Math.ceil((start + offset) / step), Math.floor((end + offset) / step));
    return numbers.map((n) => n * step - offset);
  });

/** Beginnings of local days; where clocks skip midnight, the first instant of the day. */
function ofDays({ start, end }: Span, days: number): number[] {
  const origin = days === 7 ? MONDAY : 0;
  const step = days * DAY;
  const [first, last] = [toLocal(start) - DAY, toLocal(end) + DAY];
  const numbers = range(Math.ceil((first - origin) / step), Math.floor((last - origin) / step));
  return numbers.map((n) => resolveLocal(origin + n * step).us);
}

function ofMonths({ start, end }: Span, months: number): number[] {
  const monthOf = (us: number): number => {
    const date = new Date(toLocal(us) / 1000);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  };
  const numbers = range(Math.floor(monthOf(start) / months), Math.ceil(monthOf(end) / months));
  return numbers.map((n) => {
    const date = new Date(0);
    date.setUTCFullYear(Math.floor((n * months) / 12), (((n * months) % 12) + 12) % 12, 1);
    return resolveLocal(date.getTime() * 1000).us;
  });
}

function lay(window: Span, most: number): Ticks {
  const fits = (step: number): boolean => (window.end - window.start) / step <= most;
  const step = OF_DAY.find(fits);
  if (step !== undefined) return { at: withinDay(window, step), step };
  const days = [1, 2, 7].find((count) => fits(count * DAY));
  if (days !== undefined) return { at: ofDays(window, days), step: days * DAY };
  const months = OF_MONTHS.find((count) => fits(count * MONTH)) ?? 12_000;
  return { at: ofMonths(window, months), step: months * MONTH };
}

/** Round times in a window, about as many as there is room for. */
export function layTicks(window: Span, most: number): Ticks {
  const { at, step } = lay(window, most);
  return { at: at.filter((t) => t >= window.start && t <= window.end), step };
}

/** A tick in words: of days the day, of months the month; the midnight between two days says which day begins. */
export function formatTick(t: number, step: number, { start, end }: Span): string {
  if (step >= 12 * MONTH) return formatDay(t).slice(0, 4);
  if (step >= MONTH) return formatDay(t).slice(0, 7);
  if (step >= DAY) return formatDay(t).slice(5);
  const isMidnight = toLocal(t) % DAY === 0 && formatDay(start) !== formatDay(end);
  if (isMidnight) return formatDay(t).slice(5);
  return step >= MINUTE ? formatMinute(t) : formatClock(t);
}
