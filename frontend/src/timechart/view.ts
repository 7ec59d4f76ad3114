/** What of time is shown: how the window follows now, is panned and zoomed. Pure; all times are microseconds. */
import { isOver, windowOfRange } from "../core/time/range";
import { findFirstChange, isThinned, type Lane } from "./lane";
import { indexAt } from "./pieces";
import type { Window } from "./window";

/** The name of a range (see `core/time/range`), or `all` of time that there is anything of. */
export type Follow = string;

const MILLISECOND = 1000;
const MINUTE = 60_000_000;
const YEAR = 366 * 24 * 60 * MINUTE;
const ROOM = 0.02;
const SHORTEST = MILLISECOND;
const LONGEST = 100 * YEAR;

export const lengthOf = ({ start, end }: Window): number => end - start;

/** Whether a window lies in another one. */
export const isInside = (one: Window, other: Window): boolean =>
  one.start >= other.start && one.end <= other.end;

/** The window with a half of its length more on both sides: what panning brings into sight. */
export const widenWindow = ({ start, end }: Window): Window => ({
  start: start - (end - start) / 2,
  end: end + (end - start) / 2,
});

export const middleOf = ({ start, end }: Window): number => (start + end) / 2;

/** All of time that there is anything of, with a little room after now. */
export function computeWholeWindow(lanes: readonly Lane[], now: number): Window {
  const first = findFirstChange(lanes) ?? now - 5 * MINUTE;
  const length = Math.max(now - first, MINUTE / 60) * (1 + ROOM);
  return { start: now - length, end: now + length * ROOM };
}

export function computeFollowedWindow(span: Follow, lanes: readonly Lane[], now: number): Window {
  if (span === "all") return computeWholeWindow(lanes, now);
  const { start, end } = windowOfRange(span, now);
  return { start, end: isOver(span) ? end : end + Math.max(end - start, MINUTE / 60) * ROOM };
}

/** A window that was zoomed to; where it lies after an instant after which nothing is shown, as long before that. */
export function endWindowBefore(held: Window, last: number): Window {
  return held.start < last ? held : panWindow(held, (last - held.end) / lengthOf(held));
}

/** The window moved by a share of its length. */
export function panWindow({ start, end }: Window, share: number): Window {
  const by = (end - start) * share;
  return { start: start + by, end: end + by };
}

/** The window made longer (factor above 1) or shorter around an instant, which stays where it is. */
export function zoomWindow(window: Window, at: number, factor: number): Window {
  const length = Math.min(LONGEST, Math.max(SHORTEST, lengthOf(window) * factor));
  const share = (at - window.start) / lengthOf(window);
  return { start: at - length * share, end: at + length * (1 - share) };
}

/** A window from one instant to another, whichever comes first; never too short to be seen. */
export function buildWindow(a: number, b: number): Window {
  const [start, end] = [Math.min(a, b), Math.max(a, b)];
  return { start, end: Math.max(end, start + SHORTEST) };
}

/** The window moved just so far that the instant lies in it. */
export function moveIntoView(window: Window, at: number): Window {
  const margin = lengthOf(window) * 0.05;
  if (at < window.start) return panWindow(window, (at - margin - window.start) / lengthOf(window));
  if (at > window.end) return panWindow(window, (at + margin - window.end) / lengthOf(window));
  return window;
}

/** The change point of any lane that comes next after (1) or before (-1) an instant, or null. */
export function findNextChange(lanes: readonly Lane[], at: number, way: 1 | -1, now: number): number | null {
  const found = lanes.flatMap(({ pieces }) => {
    const place = indexAt(pieces, way === 1 ? at : at - 1);
    const t = pieces[way === 1 ? place + 1 : place]?.t;
    return t == null || t > now ? [] : [t];
  });
  if (found.length === 0) return null;
  return way === 1 ? Math.min(...found) : Math.max(...found);
}

/** A lane that was thinned for more of these than a window has is drawn too coarsely for it. */
const CLOSE = 5;

/** Whether a closer look would tell more of what is seen. */
export function needsDetail(lane: Lane, window: Window, detail: readonly [number, number] | null): boolean {
  if (!isThinned(lane, window)) return false;
  const held = detail && { start: detail[0], end: detail[1] };
  return !held || !isInside(window, held) || lengthOf(held) > CLOSE * lengthOf(window);
}
