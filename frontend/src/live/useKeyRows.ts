import { useEffect, useMemo, useState } from "react";
import { describeError } from "../core/api/client";
import { fetchKeyTimelines } from "../core/api/timelineCalls";
import type { KeyTimelines } from "../core/api/timelines";
import { MAX_KEY_ROWS, rowsOf, coversView, type KeyRow } from "../timechart/keyRows";
import type { Window } from "../timechart/window";
import { useLanes } from "./store";
import { widenWindow } from "../timechart/view";

const AGAIN_MS = 5000;
const SETTLED_MS = 200;
const PIXELS = 600;
const NOTHING: Window = { start: 0, end: 1 };

interface LoadedRows {
  of: string;
  /** The window that was seen, and what was asked for: some more around it. */
  seen: Window;
  asked: Window;
  answer: KeyTimelines;
}

export interface KeyRows {
  answer: KeyTimelines | null;
  rows: readonly KeyRow[];
  /** The window that was seen when they were asked for. */
  seen: Window;
  failure: string | null;
}

const rounded = ({ start, end }: Window): Window => ({ start: Math.floor(start), end: Math.ceil(end) });

/** The rows of a node in a window, asked anew every few seconds while the page is seen, and where the window leaves them. */
export function useKeyRows(digest: string, search: string, window: Window): KeyRows {
  const [held, hold] = useState<LoadedRows | null>(null);
  const [failure, fail] = useState<string | null>(null);
  const of = `${digest} ${search}`;
  const current = held?.of === of ? held : null;
  const served = current !== null && coversView(current.asked, window);
  const [turn, again] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && again((n) => n + 1), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      // The window moves with the clock: it is that of the moment.
      const seen = useLanes.getState().view?.window ?? NOTHING;
      const asked = rounded(widenWindow(seen));
      fetchKeyTimelines(digest, {
        search,
        from: asked.start,
        to: asked.end,
        points: PIXELS,
        limit: MAX_KEY_ROWS,
      }).then(
        (answer) => {
          if (!isCurrent) return;
          hold({ of, seen, asked, answer });
          fail(null);
        },
        (error: unknown) => isCurrent && fail(describeError(error)),
      );
    }, SETTLED_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [digest, search, of, turn, served]);
  const answer = current?.answer ?? null;
  const rows = useMemo(() => (answer ? rowsOf(answer) : []), [answer]);
  return { answer, rows, seen: current?.seen ?? window, failure };
}
