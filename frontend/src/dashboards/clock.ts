/** Now, the window, and ten frames a second while the page is seen. */
import { flushSync } from "react-dom";
import { windowNow } from "./time";
import { listFeedStates, type Feed, type Ranked } from "./feeds";
import { clampToNewest, findLastStop, newestEventOf, findNewestTime, type Edge } from "../timechart/lane";
import { findFarthestBehind, computeKnownUntil } from "../core/socket/freshness";
import { readKnownNow } from "../core/socket/pageConnection";
import type { Window } from "../timechart/window";
import { get, rangeOf, type BoardState } from "./store";

const FRAME_MS = 100;

const newest = (state: Feed | Ranked, wall: number): number =>
  findNewestTime(state, "rows" in state ? state.rows : [state], wall);

/** The right edge: the clock, or the newest event where all events are far behind it; of what has stopped, when it did. */
export function edgeOf(seen: readonly (Feed | Ranked)[], wall: number): Edge {
  const stopped = findLastStop(seen.filter(({ heard }) => heard));
  const reach = Math.min(wall, stopped ?? wall);
  const last = Math.max(-Infinity, ...seen.map((state) => newest(state, reach)));
  return { ...clampToNewest(last === -Infinity ? null : last, reach), stopped };
}

/** Until when anything is known of some feeds: until the last of them stopped, and no farther than all have seen. */
export function knownUntil(feeds: readonly { state: Feed | Ranked }[], now: number): number {
  const all = feeds.map(({ state }) => state);
  const together = { stoppedAt: findLastStop(all), behind: findFarthestBehind(all) };
  return computeKnownUntil(together, (wall) => Math.max(...all.map((one) => newest(one, wall))), now);
}

let edge: Edge = { now: Date.now() * 1000, follows: "clock", stopped: null };

export const edgeNow = (): Edge => edge;

/** The newest event of what is shown, where that is far from the clock and goes on. */
export const newestEventNow = (): number | null =>
  edge.follows === "events" && edge.stopped === null ? newestEventOf(listFeedStates()) : null;

/** What charts show as now: the edge, or where they were paused. */
export function nowOf({ pausedAt }: Pick<BoardState, "pausedAt">): number {
  return pausedAt === null ? edge.now : Math.min(pausedAt, edge.now);
}

export function windowOf(state: BoardState): Window {
  return state.view.fixed ?? windowNow(rangeOf(state), nowOf(state));
}

/** The window that is shown, up to now, in whole microseconds. */
export function seenWindow(): { from: number; to: number } {
  const { start, end } = windowOf(get());
  return { from: Math.floor(start), to: Math.ceil(Math.min(end, edge.now)) + 1 };
}

type Frame = () => void;
const frames = new Set<Frame>();
let timer = 0;

function tick(): void {
  if (document.hidden) return;
  edge = edgeOf(listFeedStates(), readKnownNow());
  // At once, or what React shows would come a frame after what is drawn, and each frame is put together from all charts.
  flushSync(() => [...frames].forEach((frame) => frame()));
}

/** Be called ten times a second while the page is seen. */
export function onFrame(frame: Frame): () => void {
  frames.add(frame);
  if (frames.size === 1) timer = window.setInterval(tick, FRAME_MS);
  return () => {
    frames.delete(frame);
    if (frames.size === 0) window.clearInterval(timer);
  };
}

/** What of a frame takes long (a drawing by Plotly) is done for few charts at a time. */
const MOST_A_FRAME = 3;
let drawn = { at: 0, count: 0 };

export function mayDraw(): boolean {
  const at = Math.floor(performance.now() / FRAME_MS);
  if (drawn.at !== at) drawn = { at, count: 0 };
  drawn.count += 1;
  return drawn.count <= MOST_A_FRAME;
}

export const wallNow = (): number => Date.now() * 1000;
export const pauseNow = (): number => nowOf(get());
