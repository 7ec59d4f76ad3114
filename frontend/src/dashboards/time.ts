/** Which stretch of time a dashboard shows. Pure. Times are microseconds. */
import type { Range } from "../core/api/dashboards";
import type { Window } from "../timechart/window";

export const RANGES: Readonly<Record<Range, number>> = {
  "1m": 60e6,
  "5m": 300e6,
  "15m": 900e6,
  "1h": 3600e6,
  "6h": 21_600e6,
  "24h": 86_400e6,
};

export const RANGE_WORDS: Readonly<Record<Range, string>> = {
  "1m": "1 min",
  "5m": "5 min",
  "15m": "15 min",
  "1h": "1 h",
  "6h": "6 h",
  "24h": "24 h",
};

export const isRange = (text: string | null): text is Range => text !== null && text in RANGES;

/** The window moves in steps of this part of its length, so that charts are not drawn anew for nothing. */
const STEPS = 30;
const ROOM = 0.02;

/** The last `length` microseconds before now; it stands still for a while, and then moves on. */
export function liveWindow(length: number, now: number): Window {
  const step = length / STEPS;
  const end = Math.ceil(now / step) * step + length * ROOM;
  return { start: end - length * (1 + ROOM), end };
}

/** Far back enough that the stretch can be watched for a while before more must be asked for. */
export function neededFrom(window: Window): number {
  const length = window.end - window.start;
  const grain = length / 4;
  return Math.floor((window.start - grain) / grain) * grain;
}
