/** Ranges of time by name, as documents and addresses have them: `5m`, `36h`, `30d`, `today`, `yesterday`, `week`. Pure. */
import { DAY, MINUTE, resolveLocal, toLocal } from "./zone";

interface Span {
  readonly start: number;
  readonly end: number;
}

const UNITS = { m: [MINUTE, "min"], h: [60 * MINUTE, "h"], d: [DAY, "d"] } as const;
export type RangeUnit = keyof typeof UNITS;
const LAST = /^([1-9]\d{0,3})([mhd])$/;

/** Those that are offered. */
export const LAST_RANGES = ["1m", "5m", "15m", "1h", "6h", "24h", "7d", "30d"] as const;
/** Those whose beginnings are midnights of the zone that is shown; a week begins on Monday. */
export const CALENDAR_RANGES = { today: "today", yesterday: "yesterday", week: "this week" } as const;
type CalendarRange = keyof typeof CALENDAR_RANGES;

const isCalendar = (text: string): text is CalendarRange => Object.hasOwn(CALENDAR_RANGES, text);

export const isRange = (text: string | null): text is string =>
  text !== null && (LAST.test(text) || isCalendar(text));

/** How long the last so many minutes, hours or days are; null of a range of the calendar. */
export function lengthOfRange(range: string): number | null {
  const [, count, unit] = LAST.exec(range) ?? [];
  return unit === undefined ? null : Number(count) * UNITS[unit as RangeUnit][0];
}

/** 36 h */
export function spellLength(range: string): string {
  const [, count, unit] = LAST.exec(range) ?? [];
  return unit === undefined ? range : `${count} ${UNITS[unit as RangeUnit][1]}`;
}

/** last 36 h; today */
export const spellRange = (range: string): string =>
  isCalendar(range) ? CALENDAR_RANGES[range] : `last ${spellLength(range)}`;

/** When the day of an instant begins, or one that is so many days later. */
export function beginDay(us: number, days = 0): number {
  return resolveLocal((Math.floor(toLocal(us) / DAY) + days) * DAY).us;
}

/** How many days ago the week of an instant began; the epoch began on a Thursday. */
const daysOfWeek = (us: number): number => (((Math.floor(toLocal(us) / DAY) + 3) % 7) + 7) % 7;

/** Whether a range ends before now, and so does not go on. */
export const isOver = (range: string): boolean => range === "yesterday";

/** What a range is at an instant: until then, where it is not over. */
export function windowOfRange(range: string, now: number): Span {
  if (range === "yesterday") return { start: beginDay(now, -1), end: beginDay(now) };
  if (range === "today") return { start: beginDay(now), end: now };
  if (range === "week") return { start: beginDay(now, -daysOfWeek(now)), end: now };
  return { start: now - (lengthOfRange(range) ?? 5 * MINUTE), end: now };
}
