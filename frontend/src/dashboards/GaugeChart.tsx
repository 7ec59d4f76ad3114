/** A number between two bounds, as an arc. */
import { useCallback, useRef } from "react";
import { readingAt } from "../timechart/spans";
import { boundsOf } from "./gaugeBounds";
import { useFollow, useLive, useSeen } from "./hooks";
import { instantOf, useLane, type OneProps } from "./instants";
import { Empty } from "./ranks";
import { get } from "./store";
import { spellNumber, spellValue } from "./words";

const ARC = "M 20 100 A 80 80 0 0 1 180 100";

export function GaugeChart({ chart, digest, pinned }: OneProps) {
  const place = useRef<HTMLDivElement>(null);
  const [feed, feeds] = useLane(digest, pinned, true);
  useFollow(feeds, useSeen(place));
  const { unit = "", low = null, high = null } = chart;
  const { words, share, bounds } = useLive(
    useCallback(() => {
      const reading = readingAt(feed.state.pieces, instantOf(get(), [feed]));
      const value = typeof reading?.value === "number" ? reading.value : null;
      const [from, to] = boundsOf(value, low, high);
      const part = value === null || to <= from ? 0 : (value - from) / (to - from);
      const said = reading ? spellValue(value, unit, reading.slope !== 0) : "";
      return { words: said, share: Math.min(1, Math.max(0, part)), bounds: [from, to] };
    }, [feed, unit, low, high]),
  );
  return (
    <div className="gauge-chart" ref={place}>
      <svg viewBox="0 0 200 124" role="img" aria-label={`${chart.node} of ${pinned}: ${words}`}>
        <path className="gauge-ground" d={ARC} pathLength={100} />
        <path className="gauge-value" d={ARC} pathLength={100} strokeDasharray={`${share * 100} 200`} />
        <text className="gauge-words" x="100" y="96">
          {words}
        </text>
        <text className="gauge-bound" x="20" y="120">
          {spellNumber(bounds[0] ?? 0)}
        </text>
        <text className="gauge-bound" x="180" y="120">
          {spellNumber(bounds[1] ?? 1)}
        </text>
      </svg>
      <Empty feed={feed} />
    </div>
  );
}
