import { useEffect, useRef } from "react";
import type { Chart } from "../core/socket/questions";
import { getConnection } from "../core/socket/pageConnection";
import { useFetchExactValue } from "./valueAtCursor";
import { EMPTY } from "../timechart/lane";
import type { LaneRef } from "./store";
import type { Window } from "../timechart/window";
import { beginLane, endLane, receiveMessage, useLanes } from "./store";
import { useFollowAsOf, useShownLane, useAsOf } from "./asOf";
import { useFollowEarlier } from "./earlier";
import { needsDetail, widenWindow } from "../timechart/view";

const AGAIN_MS = 3000;
const SETTLED_MS = 150;
/** For so many pixels a lane is thinned: of its whole time, and of what is looked at. */
const POINTS = 1200;

type Detail = Chart["detail"];

const whole = ({ start, end }: Window): [number, number] => [Math.floor(start), Math.ceil(end)];

class Follower {
  private timer = 0;
  private following: { end: () => void; again: () => void } | null = null;
  detail: Detail = null;

  constructor(private readonly laneRef: LaneRef) {}

  start(): void {
    const { name, digest, pinned } = this.laneRef;
    const chart = (): Chart => ({ points: POINTS, detail: this.detail });
    this.following = getConnection().look(digest, pinned, chart, (message) => {
      // Of a page that is paused nothing moves; what was missed comes when it goes on.
      if (message.type === "revision" && useLanes.getState().pausedAt !== null) return;
      receiveMessage(name, message);
      if (message.type === "error") this.later();
    });
  }

  /** A node that refuses (it does not run yet) is asked again after a while. */
  private later(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.following?.end();
      this.start();
    }, AGAIN_MS);
  }

  look(detail: Detail): void {
    this.detail = detail;
    this.following?.again();
  }

  end(): void {
    window.clearTimeout(this.timer);
    this.following?.end();
  }
}

/** A component without a face: while it is there, its lane is followed, as closely as it is looked at. */
export function Follow(laneRef: LaneRef): null {
  const { name, digest, pinned } = laneRef;
  useFollowAsOf(laneRef);
  useFollowEarlier(laneRef);
  useFetchExactValue(
    laneRef,
    useShownLane(name, useLanes((state) => state.lanes[name]) ?? EMPTY),
    useAsOf((state) => state.knownAt),
  );
  const follower = useRef<Follower | null>(null);
  const paused = useLanes((state) => state.pausedAt !== null);
  const wasPaused = useRef(false);
  useEffect(() => {
    const made = new Follower({ name, digest, pinned });
    const seen = useLanes.getState().view;
    made.detail = seen && whole(widenWindow(seen.window));
    follower.current = made;
    beginLane({ name, digest, pinned });
    made.start();
    return () => {
      made.end();
      endLane({ name, digest, pinned });
    };
  }, [name, digest, pinned]);
  useEffect(() => {
    if (wasPaused.current && !paused) follower.current?.look(follower.current.detail);
    wasPaused.current = paused;
  }, [paused]);
  const view = useLanes((state) => state.calm);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      const [lane, held] = [useLanes.getState().lanes[name], follower.current];
      if (lane && held && view && needsDetail(lane, view.window, held.detail))
        held.look(whole(widenWindow(view.window)));
    }, SETTLED_MS);
    return () => window.clearTimeout(timer);
  }, [name, view]);
  return null;
}
