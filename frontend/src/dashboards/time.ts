/** Which stretch of time a dashboard shows. Pure. Times are microseconds. */
import { isOver, lengthOfRange, windowOfRange } from "../core/time/range";
import type { Window } from "../timechart/window";

/** The window moves in steps of this part of its length, so that charts are not drawn anew for nothing. */
const STEPS = 30;
const ROOM = 0.02;

/** The last `length` microseconds before now; it stands still for a while, and then moves on. */
export function liveWindow(length: number, now: number): Window {
  const step = length / STEPS;
  const end = Math.ceil(now / step) * step + length * ROOM;
  return { start: end - length * (1 + ROOM), end };
}

/** A calendar range up to now: it ends at whole steps, of which it has more than a few. */
function calendarWindow(range: string, now: number): Window {
  const { start, end } = windowOfRange(range, now);
  if (isOver(range)) return { start, end };
  const step = 2 ** Math.ceil(Math.log2(Math.max(end - start, 60e6) / STEPS));
  const last = Math.ceil(end / step) * step;
  return { start, end: last + Math.max(last - start, step) * ROOM };
}

/** What charts show of a range. */
export function windowNow(range: string, now: number): Window {
  const length = lengthOfRange(range);
  return length === null ? calendarWindow(range, now) : liveWindow(length, now);
}

/** Far back enough that the stretch can be watched for a while before more must be asked for. */
export function neededFrom(window: Window): number {
  const length = window.end - window.start;
  const grain = length / 4;
  return Math.floor((window.start - grain) / grain) * grain;
}
