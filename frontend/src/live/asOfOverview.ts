/** The overview as it was known at a moment: of each of its lanes the whole, whatever the window shows. */
import { useEffect, useMemo, useState } from "react";
import { fetchTimelineAsOf } from "../core/api/timelineCalls";
import type { LaneRef } from "./store";
import { EMPTY, type Lane } from "../timechart/lane";
import type { Window } from "../timechart/window";
import { buildAsOfLane, withCurrentKind, useAsOf } from "./asOf";
import { lengthOf } from "../timechart/view";

const REST_MS = 200;
const POINTS = 600;
/** The whole of time grows as it goes on: it is asked for anew when it has grown by so much of it. */
const GROWS = 4;

/** A stretch that stays the same while the one inside of it grows a little. */
export function coarsenWindow({ start, end }: Window): Window {
  const step = 2 ** Math.ceil(Math.log2(Math.max(1, lengthOf({ start, end })) / GROWS));
  return { start: Math.floor(start / step) * step, end: Math.ceil(end / step) * step };
}

/** What was known then of these lanes; `null` while it is not known yet what that was, or where no moment is chosen. */
export function useOverviewAsOf(
  asked: readonly LaneRef[],
  now: Readonly<Record<string, Lane>>,
  range: Window,
): readonly Lane[] | null {
  const knownAt = useAsOf((state) => state.knownAt);
  const question = knownAt === null ? "" : JSON.stringify([knownAt, coarsenWindow(range), asked]);
  const [told, setTold] = useState<{ question: string; lanes: Readonly<Record<string, Lane>> } | null>(null);
  useEffect(() => {
    if (question === "") return;
    const [of, { start, end }, lanes] = JSON.parse(question) as [number, Window, LaneRef[]];
    let current = true;
    const read = async ({ name, digest, pinned }: LaneRef) => {
      const then = await fetchTimelineAsOf(digest, pinned, {
        knownAt: of,
        from: start,
        to: end,
        points: POINTS,
      });
      return [name, buildAsOfLane(then)] as const;
    };
    const timer = setTimeout(() => {
      // Of a key of which nothing was known then there is nothing to show.
      const all = lanes.map((one) => read(one).catch(() => [one.name, EMPTY] as const));
      void Promise.all(all).then((found) => {
        if (current) setTold({ question, lanes: Object.fromEntries(found) });
      });
    }, REST_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [question]);
  return useMemo(
    () =>
      question !== "" && told?.question === question
        ? asked.map(({ name }) => withCurrentKind(told.lanes[name] ?? EMPTY, now[name] ?? EMPTY))
        : null,
    [told, question, asked, now],
  );
}
