/** The instant whose values charts show, and the feed of one key. */
import { useMemo } from "react";
import type { Chart } from "../core/api/dashboards";
import { knownUntil, nowOf } from "./clock";
import { laneFeed, type Feed, type LaneFeed, type Ranked } from "./feeds";
import { cursorOf, type BoardState } from "./store";

export interface OneProps {
  chart: Chart;
  digest: string;
  /** The key that it shows. */
  pinned: string;
}

/** The cursor's instant, else now; of what has stopped at most when it did. */
export const instantOf = (state: BoardState, feeds: readonly { state: Feed | Ranked }[]): number =>
  Math.min(cursorOf(state) ?? state.view.fixed?.end ?? Infinity, knownUntil(feeds, nowOf(state)));

export function useLane(digest: string, key: string, thinned: boolean): [LaneFeed, readonly LaneFeed[]] {
  return useMemo(() => {
    const feed = laneFeed(digest, key, thinned);
    return [feed, [feed]];
  }, [digest, key, thinned]);
}
