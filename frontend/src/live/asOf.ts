/** What was known at a wall-clock moment: the lanes as they were then, and where they differ from now. */
import { useEffect, useMemo } from "react";
import { create } from "zustand";
import { inWords } from "../core/api/client";
import { fetchDifference } from "../core/api/timelineCalls";
import type { TimelinePoint, AsOfTimeline } from "../core/api/types";
import { without } from "../core/graph/records";
import type { LaneRef } from "./store";
import { EMPTY, type Lane } from "../timechart/lane";
import type { Piece } from "../timechart/pieces";
import type { Window } from "../timechart/window";
import { useLanes } from "./store";
import { coversWindow, AsOfRequests, type AsOfAnswer } from "./asOfRequests";

const POINTS = 1200;

interface AsOfLane extends AsOfAnswer {
  readonly lane: Lane;
}

interface AsOfState {
  /** Microseconds of the wall clock; null: now. */
  knownAt: number | null;
  open: boolean;
  /** Each lane that is followed, with what was answered of it. */
  lanes: Readonly<Record<string, AsOfLane | null>>;
}

export const useAsOf = create<AsOfState>(() => ({ knownAt: null, open: false, lanes: {} }));

const clearAnswers = ({ lanes }: AsOfState): AsOfState["lanes"] =>
  Object.fromEntries(Object.keys(lanes).map((name) => [name, null]));

export function showKnownAt(knownAt: number | null): void {
  useAsOf.setState((state) => (knownAt === null ? { knownAt, lanes: clearAnswers(state) } : { knownAt }));
}

export function openAsOf(open: boolean): void {
  useAsOf.setState((state) => (open ? { open } : { open, knownAt: null, lanes: clearAnswers(state) }));
}

function pieceOf({ t, value = null, slope, num, den }: TimelinePoint): Piece {
  if (num && den) return { t, value: num.value, slope: num.slope, den };
  return { t, value, slope: slope ?? 0 };
}

export function buildAsOfLane(then: Pick<AsOfTimeline, "points" | "left_out" | "final_until">): Lane {
  const { left_out: leftOut = [], final_until: finalUntil } = then;
  return {
    ...EMPTY,
    pieces: then.points.map(pieceOf),
    leftOut,
    finalUntil,
    seq: 0,
    version: 0,
  };
}

const requests = new AsOfRequests({ inWords, away: () => document.hidden, clock: () => Date.now() });

const setAsOfLane = (name: string, one: AsOfLane | null): void =>
  useAsOf.setState(({ lanes }) => ({ lanes: { ...lanes, [name]: one } }));

function receiveAnswer(name: string, answer: AsOfAnswer): void {
  const { then, failure } = answer;
  setAsOfLane(name, { ...answer, lane: then ? buildAsOfLane(then) : { ...EMPTY, error: failure } });
}

/** Follow what was known then of one lane, as the moment and the window move. */
export function useFollowAsOf({ name, digest, pinned }: LaneRef): void {
  const knownAt = useAsOf((state) => state.knownAt);
  const window = useLanes((state) => (knownAt === null ? undefined : state.calm?.window));
  const seq = useLanes((state) => (knownAt === null ? 0 : (state.lanes[name]?.seq ?? 0)));
  useEffect(() => {
    setAsOfLane(name, null);
    requests.begin(
      name,
      ({ of, sheet }) =>
        fetchDifference(digest, pinned, { knownAt: of, from: sheet.start, to: sheet.end, points: POINTS }),
      (answer) => receiveAnswer(name, answer),
    );
    return () => {
      requests.end(name);
      useAsOf.setState(({ lanes }) => ({ lanes: without(lanes, name) }));
    };
  }, [name, digest, pinned]);
  useEffect(
    () => requests.look(name, knownAt === null || !window ? null : { knownAt, window, seq }),
    [name, digest, pinned, knownAt, window, seq],
  );
}

/** Whether not every lane that is followed was answered yet for the moment that was chosen and all that is seen. */
export function isLoading(
  { knownAt, lanes }: Pick<AsOfState, "knownAt" | "lanes">,
  window?: Window,
): boolean {
  const told = Object.values(lanes);
  return knownAt !== null && (told.length === 0 || told.some((one) => !coversWindow(one, knownAt, window)));
}

/** What was known then is of the kind that the lane has now, which may be told only later; and ends where it ends. */
export const withCurrentKind = (then: Lane, { kind, stoppedAt }: Lane): Lane => ({
  ...then,
  kind,
  stoppedAt,
});

/** Whether a moment is chosen of which the lane does not know yet what was known of all that is seen. */
export function useIsLoading(name: string): boolean {
  const knownAt = useAsOf((state) => state.knownAt);
  const one = useAsOf((state) => state.lanes[name]);
  const covered = useLanes((state) => knownAt === null || coversWindow(one, knownAt, state.calm?.window));
  return !covered;
}

/** The lane as it is shown: as it was known then (nothing before that is told), else as it is now. */
export function useShownLane(name: string, now: Lane): Lane {
  const then = useAsOf((state) => (state.knownAt === null ? null : (state.lanes[name]?.lane ?? EMPTY)));
  const waits = useIsLoading(name);
  return useMemo(() => (then ? withCurrentKind(waits ? EMPTY : then, now) : now), [then, waits, now]);
}
