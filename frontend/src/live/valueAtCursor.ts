/** The value at the cursor; where a lane leaves out change points, the server is asked for it. */
import { useEffect } from "react";
import { create } from "zustand";
import { api } from "../core/api/client";
import type { LeftOut } from "../core/api/types";
import { leftOutAt } from "../timechart/thinned";
import { knownUntil, type Lane } from "../timechart/lane";
import type { LaneRef } from "./store";
import { readingAt, type Reading } from "../timechart/spans";
import { useLanes } from "./store";
import { useAsOf } from "./asOf";

const REST_MS = 120;

interface ExactValue {
  readonly at: number;
  readonly knownAt: number | null;
  readonly reading: Reading;
}

const useExactValues = create<Readonly<Record<string, ExactValue>>>(() => ({}));

/** What a lane says at the cursor, else now; `busy` if change points around it are left out. */
export interface CursorReading {
  readonly reading: Reading | null;
  readonly busy: LeftOut | null;
  /** The node has not read all events up to here: the value assumes that none follow. */
  readonly projected: boolean;
}

/** Request the exact value once the cursor rests where change points are left out. */
export function useFetchExactValue(
  { name, digest, pinned }: LaneRef,
  { leftOut }: Lane,
  knownAt: number | null,
): void {
  const cursor = useLanes((state) => state.cursor);
  const busy = cursor === null ? null : leftOutAt(leftOut, cursor);
  const at = busy === null || cursor === null ? null : Math.round(cursor);
  useEffect(() => {
    if (at === null) return;
    const timer = setTimeout(() => {
      void api.valueAt(digest, pinned, at, knownAt).then(
        ({ value, slope }) =>
          useExactValues.setState({
            [name]: { at, knownAt, reading: { value, slope: slope ?? 0, from: null, to: null } },
          }),
        () => undefined,
      );
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [name, digest, pinned, at, knownAt]);
}

const NOTHING: CursorReading = { reading: null, busy: null, projected: false };

export function useCursorReading(name: string, lane: Lane, now: number): CursorReading {
  const cursor = useLanes((state) => state.cursor);
  const exact = useExactValues((state) => state[name]);
  const knownAt = useAsOf((state) => state.knownAt);
  const known = knownUntil(lane, now);
  const at = cursor ?? known;
  // A stopped node has no values after its stop.
  if (lane.stoppedAt !== null && at > known) return NOTHING;
  const busy = leftOutAt(lane.leftOut, at);
  const projected = lane.behind !== null && at > known;
  if (!busy) return { reading: readingAt(lane.pieces, at), busy, projected };
  const asked = exact?.at === Math.round(at) && exact.knownAt === knownAt;
  return { reading: asked ? exact.reading : null, busy, projected };
}
