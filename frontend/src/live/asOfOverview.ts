/** The overview as of a moment: each of its lanes in full, whatever the window shows. */
import { useEffect, useMemo, useState } from "react";
import { fetchTimelineAsOf } from "../core/api/timelineCalls";
import type { LaneRef } from "./store";
import { EMPTY, type Lane } from "../timechart/lane";
import type { Window } from "../timechart/window";
import { buildAsOfLane, withCurrentKind, useAsOf } from "./asOf";
import { lengthOf } from "../timechart/view";

const REST_MS = 200;
const POINTS = 600;
/** The full range grows with time: it is loaded again once it has grown by 1/GROWS of its length. */
const GROWS = 4;

/** A window around this one that stays the same while this one grows a little. */
export function coarsenWindow({ start, end }: Window): Window {
  const step = 2 ** Math.ceil(Math.log2(Math.max(1, lengthOf({ start, end })) / GROWS));
  return { start: Math.floor(start / step) * step, end: Math.ceil(end / step) * step };
}

/** These lanes as of the chosen moment; null while they load, or if no moment is chosen. */
export function useOverviewAsOf(
  laneRefs: readonly LaneRef[],
  now: Readonly<Record<string, Lane>>,
  range: Window,
): readonly Lane[] | null {
  const knownAt = useAsOf((state) => state.knownAt);
  const question = knownAt === null ? "" : JSON.stringify([knownAt, coarsenWindow(range), laneRefs]);
  const [answer, setTold] = useState<{ question: string; lanes: Readonly<Record<string, Lane>> } | null>(
    null,
  );
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
      // A key that was unknown at that moment has an empty lane.
      const all = lanes.map((lane) => read(lane).catch(() => [lane.name, EMPTY] as const));
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
      question !== "" && answer?.question === question
        ? laneRefs.map(({ name }) => withCurrentKind(answer.lanes[name] ?? EMPTY, now[name] ?? EMPTY))
        : null,
    [answer, question, laneRefs, now],
  );
}
