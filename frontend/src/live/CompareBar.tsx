import { useMemo } from "react";
import { formatDays, formatSecond, formatTime } from "../core/time/format";
import { useZone } from "../core/time/zone";
import { moveBack, COMPARISONS, gapOf, isComparison, formatGaps } from "../timechart/compare";
import { useAsOf } from "./asOf";
import { compareWith, useEarlier, useShift, waitsForEarlier } from "./earlier";
import { useLanes } from "./store";

/** What is not known of the earlier period. */
function useGaps(shift: number | null): string {
  const earlier = useEarlier((state) => state.lanes);
  const lanes = useLanes((state) => state.lanes);
  const view = useLanes((state) => state.calm);
  const knownAt = useAsOf((state) => state.knownAt);
  const zone = useZone();
  return useMemo(() => {
    if (shift === null || !view) return "";
    const period = moveBack({ ...view.window, end: Math.min(view.window.end, view.now) }, shift);
    if (waitsForEarlier(earlier, knownAt, period)) return "loading…";
    const all = Object.entries(earlier).flatMap(([name, earlierLane]) =>
      earlierLane ? [[name, earlierLane] as const] : [],
    );
    const failure = all.find(([, earlierLane]) => earlierLane.failure !== null)?.[1].failure;
    if (failure != null) return failure;
    return formatGaps(
      all.map(([name, { lane, then }]) => {
        const { birth = null } = lanes[name] ?? {};
        return gapOf({ lane, birth, resultsFrom: then?.results_from ?? null }, period);
      }),
    );
    // The words have times of the zone.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [shift, earlier, lanes, view, knownAt, zone]);
}

/** Which period: 11:55:00 – 12:00:00 UTC, with its day where that is not today. */
function Period({ shift }: { shift: number }) {
  const window = useLanes((state) => state.calm?.window);
  useZone();
  if (!window) return null;
  const { start, end } = moveBack(window, shift);
  return (
    <span className="nowrap" data-testid="compare-period">
      {formatDays(start, end)} {formatSecond(start)} – {formatTime(end)}
    </span>
  );
}

/** With which earlier period the lanes are compared, and what is not known of it. */
export function CompareBar() {
  const comparison = useEarlier((state) => state.comparison);
  const shift = useShift();
  const gaps = useGaps(shift);
  if (comparison === null) return null;
  const change = (value: string) => isComparison(value) && compareWith(value);
  return (
    <div className="then-bar compare-bar" data-testid="compare-bar">
      <label htmlFor="compare-with" className="nowrap">
        Compare with
      </label>
      <select
        id="compare-with"
        data-testid="compare-with"
        value={comparison}
        onChange={(event) => change(event.target.value)}
      >
        {Object.entries(COMPARISONS).map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
      {shift === null ? (
        <span>All time is shown: there is no period before. Choose a shorter range.</span>
      ) : (
        <>
          <Period shift={shift} />
          <span className="faint nowrap">is drawn faded</span>
        </>
      )}
      <span className="compare-gaps" data-testid="compare-gaps" role="status" title={gaps}>
        {gaps}
      </span>
      <button type="button" className="nowrap" onClick={() => compareWith(null)}>
        Close
      </button>
    </div>
  );
}
