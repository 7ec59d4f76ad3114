/**
 * Lanes are drawn on sheets that are wider than the visible window. While the window moves, each sheet is shifted on its
 * own: with a shared CSS property the browser would lay out every path of every lane again.
 */
import type { Window } from "../timechart/window";
import { lengthOf, middleOf, widenWindow } from "../timechart/view";

/** The CSS transform that moves a sheet drawn for one window into another. */
export function placeSheet(drawn: Window, window: Window): string {
  const sheet = widenWindow(drawn);
  const zoom = lengthOf(drawn) / lengthOf(window);
  const left = ((sheet.start - window.start) / lengthOf(sheet)) * zoom * 100;
  return `translateX(${left}%) scaleX(${zoom})`;
}

const FAR = 0.4;
const CLOSER = 2.5;

/** Whether a drawing for one window is too far from another to be shifted there. */
export function isFar(window: Window, drawn: Window): boolean {
  const zoom = lengthOf(drawn) / lengthOf(window);
  const moved = Math.abs(middleOf(window) - middleOf(drawn));
  return moved > FAR * lengthOf(drawn) || zoom > CLOSER || zoom < 1 / CLOSER;
}

export class Sheets {
  private shown: Window | null = null;
  private readonly held = new Map<HTMLElement, Window>();

  /** Shift all sheets to the visible window. */
  show(window: Window): void {
    this.shown = window;
    for (const element of this.held.keys()) this.put(element);
  }

  /** Note for which window a sheet was drawn. */
  drawn(element: HTMLElement, window: Window): void {
    this.held.set(element, window);
    this.put(element);
  }

  /** Whether a sheet is too far from the visible window. */
  isFar(element: HTMLElement): boolean {
    const drawn = this.held.get(element);
    return !drawn || !this.shown || isFar(this.shown, drawn);
  }

  forget(element: HTMLElement): void {
    this.held.delete(element);
  }

  private put(element: HTMLElement): void {
    const drawn = this.held.get(element);
    if (drawn && this.shown) element.style.transform = placeSheet(drawn, this.shown);
  }
}

export const sheets = new Sheets();
