import { clock, days as daysOf } from "../core/ui/format";
import { KEYS_IN_WORDS } from "./keyboard";
import { isIn, leftOf } from "../timechart/timeScale";
import type { Window } from "../timechart/spans";
import { useLanes } from "./store";

const SECOND = 1_000_000;
const STEPS = [
  0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400,
  604800, 2592000, 31536000,
].map((seconds) => seconds * SECOND);
const MOST = 9;

function ticks({ start, end }: Window): number[] {
  const step = STEPS.find((one) => (end - start) / one <= MOST) ?? (end - start) / MOST;
  const first = Math.ceil(start / step) * step;
  const count = Math.max(0, Math.floor((end - first) / step) + 1);
  return Array.from({ length: count }, (_, i) => first + i * step);
}

const DAY = 86_400 * SECOND;
/** A time of more letters needs more room. */
const LONG = 8;

function words(t: number, days: number): string {
  return days > 2 ? new Date(t / 1000).toISOString().slice(5, 16).replace("T", " ") : clock(t);
}

/** The times of an axis; with what lies on other days than the first, or further apart, the day is said. */
export function Times({
  window,
  days = (window.end - window.start) / DAY,
}: {
  window: Window;
  days?: number;
}) {
  return ticks(window).map((t) => {
    const said = words(Math.round(t), days);
    return (
      <span key={t} className={said.length > LONG ? "tick long" : "tick"} style={{ left: leftOf(t, window) }}>
        {said}
      </span>
    );
  });
}

/** Where times are said to be UTC; and of which days, unless of today. */
export function Zone({ window: { start, end } }: { window: Window }) {
  return <div className="lane-label faint">{[daysOf(start, end), "UTC"].filter(Boolean).join(" ")}</div>;
}

function CursorTime({ window }: { window: Window }) {
  const cursor = useLanes((state) => state.cursor);
  if (cursor === null || !isIn(cursor, window)) return null;
  return (
    <span className="cursor-time" data-testid="cursor-time" style={{ left: leftOf(cursor, window) }}>
      {clock(Math.round(cursor / 1000) * 1000)}
    </span>
  );
}

/** The axis that all lanes share, and the handle of their cursor for the keyboard. */
export function TimeAxis({ window }: { window: Window }) {
  const cursor = useLanes((state) => state.cursor);
  const said = cursor === null ? "none" : clock(Math.round(cursor / 1000) * 1000);
  return (
    <div
      className="time-axis"
      role="slider"
      tabIndex={0}
      aria-label="Time cursor"
      aria-description={KEYS_IN_WORDS}
      title={KEYS_IN_WORDS}
      aria-valuemin={Math.round(window.start / 1000)}
      aria-valuemax={Math.round(window.end / 1000)}
      aria-valuenow={Math.round((cursor ?? window.end) / 1000)}
      aria-valuetext={said}
      data-testid="time-cursor"
    >
      <Zone window={window} />
      <div className="lane-chart">
        <Times window={window} />
        <CursorTime window={window} />
      </div>
    </div>
  );
}
