import { useEffect, useLayoutEffect, useState } from "react";
import { isFar, sheets } from "./renderedWindow";
import type { View } from "./store";
import { drawQueue } from "./drawQueue";
import { lengthOf } from "../timechart/view";

const REST_MS = 120;
/** A smaller share of the window is invisible: it is half a pixel. */
const UNSEEN = 1 / 2400;

/** Whether the drawings of two views would look different. */
export function looksDifferent(view: View, other: View): boolean {
  const length = lengthOf(view.window);
  const edge = ({ window, now }: View): number => Math.min(now, window.end);
  const moved = (a: number, b: number): boolean => Math.abs(a - b) > length * UNSEEN;
  return (
    moved(length, lengthOf(other.window)) ||
    moved(view.window.start, other.window.start) ||
    moved(edge(view), edge(other))
  );
}

/** The view for which lanes are drawn: while the window moves quickly, their drawings are only shifted. */
export function useDebouncedView(view: View): View {
  const [settled, settle] = useState(view);
  useLayoutEffect(() => {
    drawQueue.move();
    sheets.show(view.window);
  }, [view.window]);
  useEffect(() => {
    if (!looksDifferent(view, settled)) return;
    const waits = drawQueue.moving && !isFar(view.window, settled.window);
    const timer = setTimeout(() => settle(view), waits ? REST_MS : 0);
    return () => clearTimeout(timer);
  }, [view, settled]);
  return settled;
}
