import { useEffect, useMemo, useRef, useState } from "react";
import { fetchRevisions } from "../core/api/timelineCalls";
import { formatMoment } from "../core/time/format";
import { describeDifferences, describeDifferencesByLane } from "./differences";
import type { LaneRef } from "./store";
import { MAX_FOLLOWED_LANES } from "./visibleLanes";
import { useLanes, readWallClock } from "./store";
import { openAsOf, isLoading, showKnownAt, useAsOf } from "./asOf";

const STEPS = 1000;
const MOST_LANES = 12;

interface Moments {
  readonly moments: readonly number[];
  readonly from: number | null;
  /** Whether the history is loaded: before that the slider has no scale. */
  readonly read: boolean;
}

/** The moments at which anything became known of the lanes, oldest first. */
function useMoments(laneRefs: readonly LaneRef[]): Moments {
  const asked = useMemo(() => laneRefs.slice(0, MOST_LANES), [laneRefs]);
  const [found, setFound] = useState<Moments>({ moments: [], from: null, read: false });
  useEffect(() => {
    let current = true;
    void Promise.all(
      asked.map(({ digest, pinned }) => fetchRevisions(digest, pinned).catch(() => null)),
    ).then((all) => {
      if (!current) return;
      const revisions = all.flatMap((one) => one?.results ?? []);
      const limits = all.flatMap((one) => one?.known_from ?? []);
      const moments = [...new Set(revisions.map((revision) => revision.known_at))].sort((a, b) => a - b);
      setFound({ moments, from: limits.length > 0 ? Math.max(...limits) : null, read: true });
    });
    return () => {
      current = false;
    };
  }, [asked]);
  return found;
}

const SETTLED_MS = 1000;

/** The text once the chosen moment has settled: screen readers do not hear it again as lanes scroll into view. */
function useAnnounced(words: string): string {
  const knownAt = useAsOf((state) => state.knownAt);
  const newest = useRef(words);
  const [said, say] = useState("");
  useEffect(() => {
    newest.current = words;
  }, [words]);
  useEffect(() => {
    const timer = setTimeout(() => say(newest.current), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [knownAt]);
  return said;
}

/** In how many lanes, and for how long, the lanes differ from now; shown once all are loaded. */
function DifferencesSummary({ some }: { some: boolean }) {
  const lanes = useAsOf((state) => state.lanes);
  const knownAt = useAsOf((state) => state.knownAt);
  const view = useLanes((state) => state.calm);
  const waits = isLoading({ knownAt, lanes }, view?.window);
  const [words, each] = useMemo(() => {
    if (knownAt === null || !view) return ["", ""];
    if (waits) return ["loading…", ""];
    const sight = { start: view.window.start, end: Math.min(view.window.end, view.now) };
    const all = Object.entries(lanes);
    const answered = Object.fromEntries(
      all.flatMap(([name, asOfLane]) => (asOfLane?.then ? [[name, asOfLane.then]] : [])),
    );
    const failed = all.length - Object.keys(answered).length;
    const read = describeDifferences(Object.values(answered), sight, some);
    const unread = failed === 0 ? [] : [`${failed} of ${all.length} lanes failed to load`];
    // A lane that failed to load may differ.
    const said = failed > 0 && read.startsWith("the same") ? unread : [read, ...unread];
    return [said.filter((one) => one !== "").join(" · "), describeDifferencesByLane(answered, sight)];
  }, [lanes, knownAt, view, waits, some]);
  const announced = useAnnounced(words);
  return (
    <>
      <span data-testid="as-of-differences" className="as-of-differences" title={each === "" ? words : each}>
        {words}
      </span>
      <span className="visually-hidden" role="status">
        {announced}
      </span>
    </>
  );
}

/** The slider that shows the lanes as of an earlier moment. */
export function AsOfBar({ shown }: { shown: readonly LaneRef[] }) {
  const knownAt = useAsOf((state) => state.knownAt);
  const { moments, from, read } = useMoments(shown);
  const [now] = useState(readWallClock);
  const low = Math.max(from ?? -Infinity, (moments[0] ?? now - 60_000_000) - 1_000_000);
  const span = Math.max(1, now - low);
  const at = knownAt ?? now;
  const slide = (step: number): void =>
    showKnownAt(step >= STEPS ? null : Math.round(low + (span * step) / STEPS));
  // Just before it became known, a change is not shown.
  const before = moments.findLast((moment) => moment <= at);
  const after = moments.find((moment) => moment > at);
  return (
    <div className="as-of-bar" data-testid="as-of-bar">
      <label htmlFor="known-at" className="nowrap">
        View as of
      </label>
      <button
        type="button"
        title="Just before the newest visible change"
        aria-label="Earlier change"
        disabled={before === undefined}
        onClick={() => before !== undefined && showKnownAt(before - 1)}
      >
        ‹
      </button>
      <input
        id="known-at"
        data-testid="known-at"
        type="range"
        min={0}
        max={STEPS}
        disabled={!read}
        value={Math.round(((at - low) / span) * STEPS)}
        aria-valuetext={knownAt === null ? "now" : formatMoment(knownAt)}
        onChange={(event) => slide(Number(event.target.value))}
      />
      <button
        type="button"
        title="With the next change"
        aria-label="Later change"
        disabled={knownAt === null}
        onClick={() => showKnownAt(after ?? null)}
      >
        ›
      </button>
      <b className="as-of-moment nowrap" data-testid="as-of-moment">
        {knownAt === null ? "now" : formatMoment(knownAt)}
      </b>
      <DifferencesSummary some={shown.length > MAX_FOLLOWED_LANES} />
      <button type="button" className="nowrap" onClick={() => openAsOf(false)}>
        Back to now
      </button>
    </div>
  );
}
