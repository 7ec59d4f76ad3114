/** What was known at a wall-clock moment: the lanes as they were then, and where they differ from now. */
import { useEffect, useMemo } from "react";
import { create } from "zustand";
import { inWords } from "../core/api/client";
import { knownThen } from "../core/api/timelineCalls";
import type { SpelledPoint, Then } from "../core/api/types";
import { without } from "../core/graph/records";
import type { Asked } from "./store";
import { EMPTY, type Lane } from "../timechart/lane";
import type { Piece } from "../timechart/pieces";
import type { Window } from "../timechart/window";
import { useLanes } from "./store";
import { covers, ThenAsking, type Answer } from "./asOfRequests";

const POINTS = 1200;

interface ThenLane extends Answer {
  readonly lane: Lane;
}

interface ThenState {
  /** Microseconds of the wall clock; null: now. */
  knownAt: number | null;
  open: boolean;
  /** Each lane that is followed, with what was answered of it. */
  lanes: Readonly<Record<string, ThenLane | null>>;
}

export const useThen = create<ThenState>(() => ({ knownAt: null, open: false, lanes: {} }));

const unanswered = ({ lanes }: ThenState): ThenState["lanes"] =>
  Object.fromEntries(Object.keys(lanes).map((name) => [name, null]));

export function showKnownAt(knownAt: number | null): void {
  useThen.setState((state) => (knownAt === null ? { knownAt, lanes: unanswered(state) } : { knownAt }));
}

export function openThen(open: boolean): void {
  useThen.setState((state) => (open ? { open } : { open, knownAt: null, lanes: unanswered(state) }));
}

function pieceOf({ t, value = null, slope, num, den }: SpelledPoint): Piece {
  if (num && den) return { t, value: num.value, slope: num.slope, den };
  return { t, value, slope: slope ?? 0 };
}

export function laneOf(then: Pick<Then, "points" | "left_out" | "final_until">): Lane {
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

const asking = new ThenAsking({ inWords, away: () => document.hidden, clock: () => Date.now() });

const put = (name: string, one: ThenLane | null): void =>
  useThen.setState(({ lanes }) => ({ lanes: { ...lanes, [name]: one } }));

function answered(name: string, answer: Answer): void {
  const { then, failure } = answer;
  put(name, { ...answer, lane: then ? laneOf(then) : { ...EMPTY, error: failure } });
}

/** Follow what was known then of one lane, as the moment and the window move. */
export function useFollowThen({ name, digest, pinned }: Asked): void {
  const knownAt = useThen((state) => state.knownAt);
  const window = useLanes((state) => (knownAt === null ? undefined : state.calm?.window));
  const seq = useLanes((state) => (knownAt === null ? 0 : (state.lanes[name]?.seq ?? 0)));
  useEffect(() => {
    put(name, null);
    asking.begin(
      name,
      ({ of, sheet }) =>
        knownThen(digest, pinned, { knownAt: of, from: sheet.start, to: sheet.end, points: POINTS }),
      (answer) => answered(name, answer),
    );
    return () => {
      asking.end(name);
      useThen.setState(({ lanes }) => ({ lanes: without(lanes, name) }));
    };
  }, [name, digest, pinned]);
  useEffect(
    () => asking.look(name, knownAt === null || !window ? null : { knownAt, window, seq }),
    [name, digest, pinned, knownAt, window, seq],
  );
}

/** Whether not every lane that is followed was answered yet for the moment that was chosen and all that is seen. */
export function reading({ knownAt, lanes }: Pick<ThenState, "knownAt" | "lanes">, window?: Window): boolean {
  const told = Object.values(lanes);
  return knownAt !== null && (told.length === 0 || told.some((one) => !covers(one, knownAt, window)));
}

/** What was known then is of the kind that the lane has now, which may be told only later; and ends where it ends. */
export const shownThen = (then: Lane, { kind, stoppedAt }: Lane): Lane => ({ ...then, kind, stoppedAt });

/** Whether a moment is chosen of which the lane does not know yet what was known of all that is seen. */
export function useWaits(name: string): boolean {
  const knownAt = useThen((state) => state.knownAt);
  const one = useThen((state) => state.lanes[name]);
  const covered = useLanes((state) => knownAt === null || covers(one, knownAt, state.calm?.window));
  return !covered;
}

/** The lane as it is shown: as it was known then (nothing before that is told), else as it is now. */
export function useShown(name: string, now: Lane): Lane {
  const then = useThen((state) => (state.knownAt === null ? null : (state.lanes[name]?.lane ?? EMPTY)));
  const waits = useWaits(name);
  return useMemo(() => (then ? shownThen(waits ? EMPTY : then, now) : now), [then, waits, now]);
}
