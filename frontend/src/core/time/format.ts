/** Instants in words, by the clocks of the zone that is shown. They are microseconds since the epoch. */
import { MINUTE, offsetAt, readZone, toLocal } from "./zone";

const pad = (n: number, width = 2): string => String(n).padStart(width, "0");

/** A date whose UTC parts are what the clocks show. */
const localDate = (us: number, zone: string): Date => new Date(Math.floor(toLocal(us, zone) / 1000));

/** 12:03:41, of an instant whose zone stands beside it. */
export function formatSecond(us: number, zone = readZone()): string {
  const date = localDate(us, zone);
  return `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`;
}

/** 12:03 */
export const formatMinute = (us: number): string => formatSecond(us).slice(0, 5);

/** 12:03:41, with milliseconds where there are any. */
export function formatClock(us: number): string {
  const ms = localDate(us, readZone()).getUTCMilliseconds();
  return ms === 0 ? formatSecond(us) : `${formatSecond(us)}.${pad(ms, 3)}`;
}

/** 2024-07-01 */
export const formatDay = (us: number, zone = readZone()): string =>
  localDate(us, zone).toISOString().slice(0, 10);

/** How far the clocks are ahead of UTC at an instant: UTC, UTC+2, UTC+5:30, UTC-3. */
export function formatOffset(us: number, zone = readZone()): string {
  const offset = offsetAt(us, zone);
  if (offset === 0) return "UTC";
  const size = Math.abs(offset) / MINUTE;
  const minutes = Math.floor(size % 60);
  const seconds = Math.round((size % 1) * 60);
  const rest = seconds > 0 ? `:${pad(minutes)}:${pad(seconds)}` : minutes > 0 ? `:${pad(minutes)}` : "";
  return `UTC${offset < 0 ? "-" : "+"}${Math.floor(size / 60)}${rest}`;
}

/** The offsets of both ends of a window, where the clocks change within it. */
export function formatOffsets(from: number, to: number): string {
  const [first, last] = [formatOffset(from), formatOffset(to)];
  return first === last ? first : `${first} to ${last}`;
}

/** 12:03:41 UTC+2 */
export const formatTime = (us: number, zone = readZone()): string =>
  `${formatSecond(us, zone)} ${formatOffset(us, zone)}`;

/** 2024-07-01 12:03:41 UTC+2 */
export const formatMoment = (us: number | null, zone = readZone()): string =>
  us === null ? "never" : `${formatDay(us, zone)} ${formatTime(us, zone)}`;

/** 12:03:41 UTC+2 of today; of another day its date as well. */
export const formatInstant = (us: number, now = Date.now() * 1000): string =>
  formatDay(us) === formatDay(now) ? formatTime(us) : formatMoment(us);

/** The days that times between two instants belong to, where they are not all of today. */
export function formatDays(from: number, to: number, now = Date.now() * 1000): string {
  const [first, last] = [formatDay(from), formatDay(to)];
  if (first !== last) return `${first} to ${first.slice(0, 4) === last.slice(0, 4) ? last.slice(5) : last}`;
  return first === formatDay(now) ? "" : first;
}

/** 12:03:41.25, to the microsecond, with its day where that is not the day of `near`. */
export function formatExact(us: number, near: number): string {
  const micros = Math.floor(((us % 1_000_000) + 1_000_000) % 1_000_000);
  const fraction = pad(micros, 6).replace(/0+$/, "");
  const date = formatDay(us) === formatDay(near) ? "" : `${formatDay(us)} `;
  return `${date}${formatSecond(us)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The time of an ISO 8601 text in microseconds. */
export const microsOf = (iso: string): number => Date.parse(iso) * 1000;
