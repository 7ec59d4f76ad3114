/** Instants as people type them, in the zone that is shown, and as addresses hold them, in UTC. */
import { formatDay, formatSecond } from "./format";
import { resolveLocal, type ClockChange } from "./zone";

const SECOND = 1_000_000;
const FIELD = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?$/;
const EXACT = /^(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(Z?)$/;
const pad = (n: number, width = 2): string => String(n).padStart(width, "0");

/** What clocks show as if they were those of UTC; null where no clock shows that. */
function parseLocal(text: string): number | null {
  const parts = FIELD.exec(text.trim());
  if (!parts) return null;
  const [, year, month, date, hour, minute, second = "00", fraction = ""] = parts;
  const iso = `${year}-${month}-${date}T${hour}:${minute}:${second}`;
  const ms = Date.parse(`${iso}Z`);
  // Some engines read the 30th of February as the 1st of March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== iso) return null;
  return ms * 1000 + Number(fraction.padEnd(6, "0"));
}

/** 2024-07-01T09:00:00, as a `datetime-local` field has it. */
export const formatField = (us: number): string => `${formatDay(us)}T${formatSecond(us)}`;

export interface Parsed {
  readonly us: number;
  /** Where clocks change: whether they show the time twice, or skip it. */
  readonly change: ClockChange | null;
}

/** What a `datetime-local` field says. */
export function parseField(text: string): Parsed | null {
  const local = parseLocal(text);
  return local === null ? null : resolveLocal(local);
}

/** 12:03:41.25 on the day of `near`, or with its day before it; with a Z behind it, of UTC. Undefined where it is none. */
export function parseExact(text: string, near: number): number | undefined {
  const parts = EXACT.exec(text.trim());
  if (!parts) return undefined;
  const [, date, time, utc] = parts;
  const today = utc === "Z" ? new Date(near / 1000).toISOString().slice(0, 10) : formatDay(near);
  const local = parseLocal(`${date ?? today}T${time}`);
  if (local === null) return undefined;
  return utc === "Z" ? local : resolveLocal(local).us;
}

/** Microseconds in an address: plain digits, or ISO 8601 of UTC. */
export function parseAddress(text: string | null): number | null {
  if (text === null || text === "") return null;
  return /^-?\d{1,18}$/.test(text) ? Number(text) : parseLocal(text.replace(/Z$/, ""));
}

export function formatAddress(us: number): string {
  const whole = Math.floor(us / SECOND);
  const rest = Math.round(us - whole * SECOND);
  return `${new Date(whole * 1000).toISOString().slice(0, 19)}${rest === 0 ? "" : `.${pad(rest, 6)}`}Z`;
}
