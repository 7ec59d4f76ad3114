import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import type { Window } from "./spans";
import { lengthOf, middleOf, widened } from "./view";

const QUIET_MS = 250;
const REST_MS = 120;
const FAR = 0.4;
const CLOSER = 2.5;

function isFar(window: Window, from: Window): boolean {
  const zoom = lengthOf(from) / lengthOf(window);
  return (
    Math.abs(middleOf(window) - middleOf(from)) > FAR * lengthOf(from) || zoom > CLOSER || zoom < 1 / CLOSER
  );
}

/** The window for which the lanes are drawn: while it moves quickly, what is drawn is only moved along. */
export function useSettled(window: Window): Window {
  const [settled, settle] = useState(window);
  const moved = useRef(0);
  useEffect(() => {
    if (window === settled) return;
    const now = performance.now();
    const quiet = now - moved.current > QUIET_MS;
    moved.current = now;
    const timer = setTimeout(() => settle(window), quiet || isFar(window, settled) ? 0 : REST_MS);
    return () => clearTimeout(timer);
  }, [window, settled]);
  return settled;
}

/** Put what is drawn for one window where it belongs in another: as properties that all lanes share. */
export function useSheet(place: RefObject<HTMLElement | null>, drawn: Window, window: Window): void {
  useLayoutEffect(() => {
    const sheet = widened(drawn);
    place.current?.style.setProperty("--sheet-zoom", String(lengthOf(drawn) / lengthOf(window)));
    place.current?.style.setProperty(
      "--sheet-left",
      `${((sheet.start - window.start) / lengthOf(sheet)) * (lengthOf(drawn) / lengthOf(window)) * 100}%`,
    );
  }, [place, drawn, window]);
}
