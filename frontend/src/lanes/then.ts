/** What was known at a wall-clock moment: the lanes as they were then, and where they differ from now. */
import { useEffect, useMemo } from "react";
import { create } from "zustand";
import { inWords } from "../api/client";
import { knownThen } from "../api/looks";
import type { SpelledPoint, Then } from "../api/types";
import { without } from "../graph/records";
import type { Asked } from "./LaneLabel";
import { EMPTY, type Lane } from "./lane";
import type { Piece } from "./fold";
import { useLanes } from "./store";
import { widened } from "./view";

const REST_MS = 150;
const POINTS = 1200;

interface ThenLane {
  readonly lane: Lane;
  readonly then: Then | null;
  /** The moment that was asked for. */
  readonly of: number;
}

interface ThenState {
  /** Microseconds of the wall clock; null: now. */
  knownAt: number | null;
  open: boolean;
  lanes: Readonly<Record<string, ThenLane>>;
}

export const useThen = create<ThenState>(() => ({ knownAt: null, open: false, lanes: {} }));

export function showKnownAt(knownAt: number | null): void {
  useThen.setState(knownAt === null ? { knownAt, lanes: {} } : { knownAt });
}

export function openThen(open: boolean): void {
  useThen.setState(open ? { open } : { open, knownAt: null, lanes: {} });
}

function pieceOf({ t, value = null, slope, num, den }: SpelledPoint): Piece {
  if (num && den) return { t, value: num.value, slope: num.slope, den };
  return { t, value, slope: slope ?? 0 };
}

export function laneOf(then: Then): Lane {
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

/** Follow what was known then of one lane, as the moment and the window move. */
export function useFollowThen({ name, digest, pinned }: Asked): void {
  const knownAt = useThen((state) => state.knownAt);
  const from = useLanes((state) => Math.floor(widened(state.calm?.window ?? { start: 0, end: 2 }).start));
  const to = useLanes((state) => Math.ceil(widened(state.calm?.window ?? { start: 0, end: 2 }).end));
  useEffect(() => {
    if (knownAt === null) return;
    let current = true;
    const put = (one: ThenLane) =>
      current && useThen.setState(({ lanes }) => ({ lanes: { ...lanes, [name]: one } }));
    const timer = setTimeout(() => {
      void knownThen(digest, pinned, { knownAt, from, to, points: POINTS }).then(
        (then) => put({ then, lane: laneOf(then), of: knownAt }),
        (error: unknown) => put({ then: null, lane: { ...EMPTY, error: inWords(error) }, of: knownAt }),
      );
    }, REST_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [name, digest, pinned, knownAt, from, to]);
  useEffect(() => () => useThen.setState(({ lanes }) => ({ lanes: without(lanes, name) })), [name]);
}

/** Whether the lanes that are followed do not show the moment yet that was chosen. */
export function reading({ knownAt, lanes }: Pick<ThenState, "knownAt" | "lanes">): boolean {
  const told = Object.values(lanes);
  return knownAt !== null && (told.length === 0 || told.some(({ of }) => of !== knownAt));
}

/** What was known then is of the kind that the lane has now, which may be told only later; and ends where it ends. */
export const shownThen = (then: Lane, { kind, stoppedAt }: Lane): Lane => ({ ...then, kind, stoppedAt });

/** The lane as it is shown: as it was known then, else as it is now. */
export function useShown(name: string, now: Lane): Lane {
  const then = useThen((state) => (state.knownAt === null ? undefined : state.lanes[name]?.lane));
  return useMemo(() => (then ? shownThen(then, now) : now), [then, now]);
}
