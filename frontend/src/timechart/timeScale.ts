/** Where an instant lies on the page: lanes, axis and overview share one scale. */
import { LEFT, RIGHT } from "./figure";
import type { Window } from "./window";

/** A page that has less room than the lanes sets these itself. */
const BEFORE = `var(--time-left, ${LEFT}px)`;
const WIDE = `(100% - ${BEFORE} - var(--time-right, ${RIGHT}px))`;

/** The share of the window that lies before an instant. */
export const shareOf = (t: number, { start, end }: Window): number => (t - start) / (end - start);

export const leftOf = (t: number, window: Window): string =>
  `calc(${BEFORE} + ${WIDE} * ${shareOf(t, window)})`;

export const widthOf = (from: number, to: number, window: Window): string =>
  `calc(${WIDE} * ${(to - from) / (window.end - window.start)})`;

export const isIn = (t: number, { start, end }: Window): boolean => t >= start && t <= end;

/** The instant at a place of a chart, which lies in `box`; outside of the window, too. */
export function timeAt(x: number, box: Pick<DOMRect, "left" | "width">, window: Window): number {
  const share = (x - box.left - LEFT) / Math.max(1, box.width - LEFT - RIGHT);
  return window.start + share * (window.end - window.start);
}
