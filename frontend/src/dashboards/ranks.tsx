/** What the charts of many keys have in common. */
import { useCallback, useMemo } from "react";
import type { Chart } from "../core/api/dashboards";
import { edgeNow } from "./clock";
import { DECLARED, DEFAULT_TOP } from "./document";
import { rankFeed, type LaneFeed, type RankFeed } from "./feeds";
import { useLive } from "./hooks";
import type { KeysFeed } from "./keysFeed";
import { useBoard } from "./store";

export interface ManyProps {
  chart: Chart;
  digest: string;
}

export function Empty({ feed }: { feed: LaneFeed | RankFeed | KeysFeed }) {
  const words = useLive(
    useCallback(() => {
      const { heard, error, kind } = feed.state;
      const nothing = "rows" in feed.state ? feed.state.rows.length === 0 : feed.state.pieces.length === 0;
      if (error !== null && kind === null) return error;
      return heard && nothing ? "No data yet" : "";
    }, [feed]),
  );
  return words === "" ? null : <p className="chart-empty faint">{words}</p>;
}

/** The keys of a node with the most or the least; at an instant of the past where one is looked at. */
export function useRank({ chart, digest }: ManyProps): [RankFeed, readonly RankFeed[]] {
  const at = useBoard((state) => state.view.cursor ?? state.view.fixed?.end ?? null);
  const { top = DEFAULT_TOP, order = "most" } = chart;
  const { most } = DECLARED[chart.type];
  return useMemo(() => {
    const past = at !== null && at < edgeNow().now ? Math.round(at) : null;
    const feed = rankFeed({ node: digest, top: Math.min(top, most), order, at: past });
    return [feed, [feed]];
  }, [digest, top, most, order, at]);
}
