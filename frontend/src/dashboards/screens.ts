/** A dashboard that is too large for one screen of a wall: its screens take turns. */
import { useEffect, useState } from "react";
import type { LayoutItem } from "react-grid-layout/core";
import { GAP, ROW_HEIGHT, screensOf } from "./grid";

const TURN_MS = 20_000;
/** The least height of a row at which charts are legible, pixels. */
const LEAST_ROW = ROW_HEIGHT - GAP;
const KEYS: Readonly<Record<string, number>> = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };

/** Which of so many screens is shown: the next one after some time, or at a key. */
function useTurn(many: number): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (many < 2) return;
    const by = (step: number): void => setTurn((held) => (held + step + many) % many);
    const timer = window.setInterval(() => by(1), TURN_MS);
    const onKey = (event: KeyboardEvent): void => {
      const step = KEYS[event.key];
      if (step !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) by(step);
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.clearInterval(timer);
      window.removeEventListener("keydown", onKey);
    };
  }, [many]);
  return turn % Math.max(1, many);
}

/** The rows of what is shown, and how high each is so that all of them are seen in `height` pixels. */
export function rowHeight(layout: readonly LayoutItem[], height: number): number {
  const rows = Math.max(1, ...layout.map((item) => item.y + item.h));
  return Math.max(1, Math.floor((height + GAP) / rows) - GAP);
}

/** What of a dashboard is on the wall now. */
export function useScreen(layout: readonly LayoutItem[], height: number) {
  const screens = screensOf(layout, Math.floor((height + GAP) / (LEAST_ROW + GAP)));
  const turn = useTurn(screens.length);
  const layoutItems = screens[turn] ?? [];
  return { shown: layoutItems, turn, many: screens.length, high: rowHeight(layoutItems, height) };
}
