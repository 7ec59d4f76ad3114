import { useEffect, useMemo, useState } from "react";
import { history } from "../api/looks";
import { length, moment } from "../ui/words";
import type { Asked } from "./LaneLabel";
import { wallClock } from "./store";
import { openThen, showKnownAt, useThen } from "./then";

const STEPS = 1000;
const MOST_LANES = 12;

/** When anything became known of the lanes, oldest first. */
function useMoments(shown: readonly Asked[]): { moments: readonly number[]; from: number | null } {
  const asked = useMemo(() => shown.slice(0, MOST_LANES), [shown]);
  const [found, setFound] = useState<{ moments: number[]; from: number | null }>({ moments: [], from: null });
  useEffect(() => {
    let current = true;
    void Promise.all(asked.map(({ digest, pinned }) => history(digest, pinned).catch(() => null))).then(
      (all) => {
        if (!current) return;
        const told = all.flatMap((one) => one?.revisions ?? []);
        const limits = all.flatMap((one) => one?.known_from ?? []);
        const moments = [...new Set(told.map((one) => one.known_at))].sort((a, b) => a - b);
        setFound({ moments, from: limits.length > 0 ? Math.max(...limits) : null });
      },
    );
    return () => {
      current = false;
    };
  }, [asked]);
  return found;
}

/** In how many stretches, and for how long, the lanes then differ from now. */
function Differs() {
  const lanes = useThen((state) => state.lanes);
  const told = Object.values(lanes).flatMap(({ then }) => then ?? []);
  const many = told.reduce((sum, one) => sum + one.different, 0);
  const seconds = told.reduce((sum, one) => sum + one.seconds, 0);
  const open = told.some((one) => one.open);
  const unknown = told.filter((one) => !one.known).length;
  const words =
    many === 0
      ? "the same as now"
      : `differs from now in ${many} ${many === 1 ? "stretch" : "stretches"}, ` +
        `${length(seconds * 1_000_000)}${open ? " and what is open" : ""}`;
  return (
    <span data-testid="then-differs" role="status" className="nowrap">
      {told.length === 0 ? "" : words}
      {unknown > 0 && <span className="faint"> · of {unknown} nothing was known yet</span>}
    </span>
  );
}

/** The slider that goes back to what was known at any moment. */
export function ThenBar({ shown }: { shown: readonly Asked[] }) {
  const knownAt = useThen((state) => state.knownAt);
  const { moments, from } = useMoments(shown);
  const [now] = useState(wallClock);
  const low = Math.max(from ?? -Infinity, (moments[0] ?? now - 60_000_000) - 1_000_000);
  const span = Math.max(1, now - low);
  const at = knownAt ?? now;
  const slide = (step: number): void =>
    showKnownAt(step >= STEPS ? null : Math.round(low + (span * step) / STEPS));
  const before = moments.findLast((one) => one < at);
  const after = moments.find((one) => one > at);
  return (
    <div className="then-bar" data-testid="then-bar">
      <label htmlFor="known-at">As known at</label>
      <button
        type="button"
        title="The change of knowledge before"
        aria-label="Earlier change"
        disabled={before === undefined}
        onClick={() => before !== undefined && showKnownAt(before)}
      >
        ‹
      </button>
      <input
        id="known-at"
        data-testid="known-at"
        type="range"
        min={0}
        max={STEPS}
        value={Math.round(((at - low) / span) * STEPS)}
        aria-valuetext={knownAt === null ? "now" : moment(knownAt)}
        onChange={(event) => slide(Number(event.target.value))}
      />
      <button
        type="button"
        title="The change of knowledge after"
        aria-label="Later change"
        disabled={knownAt === null}
        onClick={() => showKnownAt(after ?? null)}
      >
        ›
      </button>
      <b className="nowrap" data-testid="then-moment">
        {knownAt === null ? "now" : moment(knownAt)}
      </b>
      <Differs />
      <span className="spacer" />
      <button type="button" onClick={() => openThen(false)}>
        Back to now
      </button>
    </div>
  );
}
