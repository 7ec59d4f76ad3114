/** The lanes as they were known at a moment of the wall clock, and where they differ from now. */
import { useEffect, useMemo } from "react";
import { create } from "zustand";
import { describeError } from "../core/api/client";
import { fetchDifference } from "../core/api/timelineCalls";
import type { TimelinePoint, AsOfTimeline } from "../core/api/types";
import { omitKey } from "../core/graph/records";
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
  /** Each followed lane with its answer; null while there is none. */
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

const requests = new AsOfRequests({
  inWords: describeError,
  away: () => document.hidden,
  clock: () => Date.now(),
});

const setAsOfLane = (name: string, asOfLane: AsOfLane | null): void =>
  useAsOf.setState(({ lanes }) => ({ lanes: { ...lanes, [name]: asOfLane } }));

function receiveAnswer(name: string, answer: AsOfAnswer): void {
  const { then, failure } = answer;
  setAsOfLane(name, { ...answer, lane: then ? buildAsOfLane(then) : { ...EMPTY, error: failure } });
}

/** Load one lane as of the chosen moment, and load it again as the moment and the window move. */
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
      useAsOf.setState(({ lanes }) => ({ lanes: omitKey(lanes, name) }));
    };
  }, [name, digest, pinned]);
  useEffect(
    () => requests.look(name, knownAt === null || !window ? null : { knownAt, window, seq }),
    [name, digest, pinned, knownAt, window, seq],
  );
}

/** Whether any followed lane still lacks an answer for the chosen moment and the visible window. */
export function isLoading(
  { knownAt, lanes }: Pick<AsOfState, "knownAt" | "lanes">,
  window?: Window,
): boolean {
  const answers = Object.values(lanes);
  return (
    knownAt !== null &&
    (answers.length === 0 || answers.some((answer) => !coversWindow(answer, knownAt, window)))
  );
}

/** The lane as of then, with the kind and the end of the lane now: the answer itself does not carry them. */
export const withCurrentKind = (then: Lane, { kind, stoppedAt }: Lane): Lane => ({
  ...then,
  kind,
  stoppedAt,
});

/** Whether the lane still loads the visible window as of the chosen moment. */
export function useIsLoading(name: string): boolean {
  const knownAt = useAsOf((state) => state.knownAt);
  const asOfLane = useAsOf((state) => state.lanes[name]);
  const covered = useLanes(
    (state) => knownAt === null || coversWindow(asOfLane, knownAt, state.calm?.window),
  );
  return !covered;
}

/** The lane to show: as of the chosen moment (empty until that is loaded), else as it is now. */
export function useShownLane(name: string, now: Lane): Lane {
  const then = useAsOf((state) => (state.knownAt === null ? null : (state.lanes[name]?.lane ?? EMPTY)));
  const waits = useIsLoading(name);
  return useMemo(() => (then ? withCurrentKind(waits ? EMPTY : then, now) : now), [then, waits, now]);
}
