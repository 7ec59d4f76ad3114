/** A number between two bounds, as an arc. */
import { useCallback, useRef } from "react";
import { colourNamed } from "../timechart/colours";
import { chosenColour, formatNumber } from "../timechart/display";
import { useDisplay } from "../timechart/displays";
import { readingAt } from "../timechart/spans";
import { boundsOf } from "./gaugeBounds";
import { useFollow, useLive, useSeen, useTheme } from "./hooks";
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
  const theme = useTheme();
  const display = useDisplay(digest);
  const { words, share, bounds, colour } = useLive(
    useCallback(() => {
      const reading = readingAt(feed.state.pieces, instantOf(get(), [feed]));
      const value = typeof reading?.value === "number" ? reading.value : null;
      const [from, to] = boundsOf(value, low, high);
      const part = value === null || to <= from ? 0 : (value - from) / (to - from);
      const shown = reading ? spellValue(value, unit, reading.slope !== 0, display) : "";
      const chosen = chosenColour(value, display);
      return {
        words: shown,
        share: Math.min(1, Math.max(0, part)),
        bounds: [from, to],
        colour: chosen === null ? null : colourNamed(chosen, theme),
      };
    }, [feed, unit, low, high, display, theme]),
  );
  return (
    <div className="gauge-chart" ref={place}>
      <svg viewBox="0 0 200 124" role="img" aria-label={`${chart.node} of ${pinned}: ${words}`}>
        <path className="gauge-ground" d={ARC} pathLength={100} />
        <path
          className="gauge-value"
          d={ARC}
          pathLength={100}
          strokeDasharray={`${share * 100} 200`}
          {...(colour === null ? {} : { style: { stroke: colour } })}
        />
        <text className="gauge-words" x="100" y="96">
          {words}
        </text>
        <text className="gauge-bound" x="20" y="120">
          {formatNumber(bounds[0] ?? 0, display, spellNumber)}
        </text>
        <text className="gauge-bound" x="180" y="120">
          {formatNumber(bounds[1] ?? 1, display, spellNumber)}
        </text>
      </svg>
      <Empty feed={feed} />
    </div>
  );
}
