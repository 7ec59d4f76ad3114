/**
 * The time zone whose clocks the page shows: the server writes the choice of the account on the page, the account menu
 * changes it, and without a choice it is the browser's. Times are microseconds.
 */
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
const MILLISECOND = 1000;
export const MINUTE = 60_000_000;
export const DAY = 1440 * MINUTE;
/** Between multiples of it clocks change only in zones of long ago. */
const QUARTER = 15 * MINUTE;
const MOST_KEPT = 20_000;
/** The last instant that a Date can hold. */
const LAST = 8.64e18;
const OFFSET = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/;

function readOffset(format: Intl.DateTimeFormat, us: number): number {
  const parts = format.formatToParts(Math.floor(us / MILLISECOND));
  const match = OFFSET.exec(parts.find(({ type }) => type === "timeZoneName")?.value ?? "");
  if (match === null) return 0;
  const [, sign, hours, minutes, seconds = "0"] = match;
  const micros = (Number(hours) * 60 + Number(minutes)) * MINUTE + Number(seconds) * 1_000_000;
  return sign === "-" ? -micros : micros;
}

/** How far the clocks of a zone are ahead of UTC. The browser is asked once for each quarter of an hour. */
class Clocks {
  private readonly kept = new Map<number, number | null>();

  constructor(private readonly format: Intl.DateTimeFormat) {}

  offsetAt(us: number): number {
    const quarter = Math.floor(us / QUARTER);
    let kept = this.kept.get(quarter);
    if (kept === undefined) {
      const first = readOffset(this.format, quarter * QUARTER);
      kept = first === readOffset(this.format, (quarter + 1) * QUARTER - MILLISECOND) ? first : null;
      if (this.kept.size >= MOST_KEPT) this.kept.clear();
      this.kept.set(quarter, kept);
    }
    return kept ?? readOffset(this.format, us);
  }
}

const UTC = new Clocks(new Intl.DateTimeFormat("en", { timeZone: "UTC", timeZoneName: "longOffset" }));
const clocks = new Map<string, Clocks>([["UTC", UTC]]);

/** The clocks of a zone; of one that this browser does not know, those of UTC. */
function clocksOf(zone: string): Clocks {
  let found = clocks.get(zone);
  if (found === undefined) {
    try {
      found = new Clocks(new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }));
    } catch {
      found = UTC;
    }
    clocks.set(zone, found);
  }
  return found;
}

/** America/New York */
export const spellZone = (name: string): string => name.replaceAll("_", " ");

export const readBrowserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone of a choice; a browser without data of it shows UTC. */
function resolveZone(choice: string): string {
  const zone = choice === "" ? readBrowserZone() : choice;
  return clocksOf(zone) === UTC ? "UTC" : zone;
}

let chosen = typeof document === "undefined" ? "" : (document.documentElement.dataset.zone ?? "");
let shownZone = resolveZone(chosen);

/** What the account has chosen; empty: the browser's zone. */
export const readChoice = (): string => chosen;

/** The zone that is shown. */
export const readZone = (): string => shownZone;

export function setZone(choice: string): void {
  chosen = choice;
  shownZone = resolveZone(choice);
  listeners.forEach((listener) => listener());
}

export function onZone(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The zone that is shown; a component that is drawn only when its properties change asks for it to be drawn anew. */
export const useZone = (): string => useSyncExternalStore(onZone, readZone);
export const useChoice = (): string => useSyncExternalStore(onZone, readChoice);

/** By how much the clocks are ahead of UTC at an instant. */
export function offsetAt(us: number, zone = shownZone): number {
  return zone === "UTC" || !(Math.abs(us) < LAST - DAY) ? 0 : clocksOf(zone).offsetAt(us);
}

/** What the clocks show at an instant, as if they were those of UTC. */
export const toLocal = (us: number, zone = shownZone): number => us + offsetAt(us, zone);

/** The instants, earliest first, at which the clocks show a time: two where they are put back, none where they skip it. */
export function fromLocal(local: number, zone = shownZone): number[] {
  const before = local - offsetAt(local - DAY, zone);
  const after = local - offsetAt(local + DAY, zone);
  const both = before === after ? [before] : [before, after];
  return both.filter((us) => toLocal(us, zone) === local).sort((a, b) => a - b);
}

export type ClockChange = "twice" | "skipped";

/**
 * The one instant that a local time means: the earlier one of two; a time that the clocks skip moves on by as much as
 * they did. The server reads the local times of events by the same rule.
 */
export function resolveLocal(local: number, zone = shownZone): { us: number; change: ClockChange | null } {
  const [first, second] = fromLocal(local, zone);
  if (first === undefined) return { us: local - offsetAt(local - DAY, zone), change: "skipped" };
  return { us: first, change: second === undefined ? null : "twice" };
}
