/** The period with which the lanes are compared: what they said then, as it is known now. */
import { useEffect, useMemo } from "react";
import { create } from "zustand";
import { describeError } from "../core/api/client";
import { fetchTimelineAsOf } from "../core/api/timelineCalls";
import type { Timeline } from "../core/api/types";
import { omitKey } from "../core/graph/records";
import { moveBack, isComparison, shiftLane, shiftOf, type Comparison } from "../timechart/compare";
import { EMPTY, type Lane } from "../timechart/lane";
import type { Window } from "../timechart/window";
import { buildAsOfLane, useAsOf } from "./asOf";
import { coversWindow, AsOfRequests, type AsOfAnswer } from "./asOfRequests";
import { changeAddress, query, useLanes, type LaneRef } from "./store";

const POINTS = 1200;
/** In place of the moment at which something was known: as it is known now. */
const NOW = -1;

export interface EarlierLane extends AsOfAnswer<Timeline> {
  readonly lane: Lane;
}

interface EarlierState {
  /** Null: nothing is compared. */
  comparison: Comparison | null;
  /** Each lane that is followed, with what was answered of it. */
  lanes: Readonly<Record<string, EarlierLane | null>>;
}

const asked = query.get("compare");

export const useEarlier = create<EarlierState>(() => ({
  comparison: isComparison(asked) ? asked : null,
  lanes: {},
}));

export function compareWith(comparison: Comparison | null): void {
  useEarlier.setState({ comparison });
  changeAddress({ compare: comparison ?? "" });
}

/** How far back the earlier period lies; null where nothing is compared. */
export function useShift(): number | null {
  const comparison = useEarlier((state) => state.comparison);
  return useLanes(({ calm, span, held }) =>
    comparison === null || !calm ? null : shiftOf(comparison, calm.window, span, held !== null),
  );
}

const asking = new AsOfRequests<Timeline>({
  inWords: describeError,
  away: () => document.hidden,
  clock: () => Date.now(),
});

const put = (name: string, earlierLane: EarlierLane | null): void =>
  useEarlier.setState(({ lanes }) => ({ lanes: { ...lanes, [name]: earlierLane } }));

function receiveEarlier(name: string, answer: AsOfAnswer<Timeline>): void {
  const { then, failure } = answer;
  put(name, { ...answer, lane: then ? buildAsOfLane(then) : { ...EMPTY, error: failure } });
}

/** What may still change comes anew with each revision; what is final, with each correction. */
function stateOf({ seq, finalUntil, corrections }: Lane, end: number): number {
  return finalUntil !== null && end <= finalUntil ? -corrections.length : seq;
}

/** Follow what one lane said in the earlier period, as the window moves. */
export function useFollowEarlier({ name, digest, pinned }: LaneRef): void {
  const shift = useShift();
  const knownAt = useAsOf((state) => state.knownAt);
  const window = useLanes((state) => (shift === null ? undefined : state.calm?.window));
  const seq = useLanes(({ lanes }) =>
    window && shift !== null ? stateOf(lanes[name] ?? EMPTY, window.end - shift) : 0,
  );
  useEffect(() => {
    put(name, null);
    const ask = ({ of, sheet: { start: from, end: to } }: { of: number; sheet: Window }) =>
      fetchTimelineAsOf(digest, pinned, { knownAt: of === NOW ? null : of, from, to, points: POINTS });
    asking.begin(name, ask, (answer) => receiveEarlier(name, answer));
    return () => {
      asking.end(name);
      useEarlier.setState(({ lanes }) => ({ lanes: omitKey(lanes, name) }));
    };
  }, [name, digest, pinned]);
  useEffect(() => {
    if (!window || shift === null) asking.look(name, null);
    else asking.look(name, { knownAt: knownAt ?? NOW, window: moveBack(window, shift), seq });
  }, [name, digest, pinned, knownAt, window, shift, seq]);
}

/** The lane in the earlier period, drawn at the time with which it is compared; null while nothing is compared. */
export function useEarlierLane(name: string, { kind }: Lane): Lane | null {
  const shift = useShift();
  const lane = useEarlier((state) => (shift === null ? null : (state.lanes[name]?.lane ?? EMPTY)));
  return useMemo(
    () => (lane === null || shift === null ? null : { ...shiftLane(lane, shift), kind }),
    [lane, shift, kind],
  );
}

/** Whether not every lane has been answered for all of the earlier period. */
export function waitsForEarlier(
  lanes: EarlierState["lanes"],
  knownAt: number | null,
  earlier: Window,
): boolean {
  return Object.values(lanes).some((earlierLane) => !coversWindow(earlierLane, knownAt ?? NOW, earlier));
}
