/**
 * What is drawn of the lanes lies on sheets, wider than what is seen of them. While the window moves they are only moved
 * along, each by itself: a property that they share would have the browser look at every path of every lane again.
 */
import type { Window } from "../timechart/window";
import { lengthOf, middleOf, widened } from "../timechart/view";

/** Where a sheet that was drawn for one window lies in another, as a CSS transform. */
export function placeSheet(drawn: Window, window: Window): string {
  const sheet = widened(drawn);
  const zoom = lengthOf(drawn) / lengthOf(window);
  const left = ((sheet.start - window.start) / lengthOf(sheet)) * zoom * 100;
  return `translateX(${left}%) scaleX(${zoom})`;
}

const FAR = 0.4;
const CLOSER = 2.5;

/** Whether what was drawn for one window hardly does for another, however it is moved along. */
export function isFar(window: Window, drawn: Window): boolean {
  const zoom = lengthOf(drawn) / lengthOf(window);
  const moved = Math.abs(middleOf(window) - middleOf(drawn));
  return moved > FAR * lengthOf(drawn) || zoom > CLOSER || zoom < 1 / CLOSER;
}

export class Sheets {
  private shown: Window | null = null;
  private readonly held = new Map<HTMLElement, Window>();

  /** The window that is seen now. */
  show(window: Window): void {
    this.shown = window;
    for (const element of this.held.keys()) this.put(element);
  }

  /** What lies on a sheet was drawn for this window. */
  drawn(element: HTMLElement, window: Window): void {
    this.held.set(element, window);
    this.put(element);
  }

  /** Whether it is still too far from what is seen. */
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
