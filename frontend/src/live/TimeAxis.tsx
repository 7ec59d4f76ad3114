import { formatClock, formatOffset } from "../core/time/format";
import { Times, Zone } from "../timechart/Times";
import { KEYS_IN_WORDS } from "./keyboard";
import { isIn, leftOf } from "../timechart/timeScale";
import type { Window } from "../timechart/window";
import { useLanes } from "./store";

function CursorTime({ window }: { window: Window }) {
  const cursor = useLanes((state) => state.cursor);
  if (cursor === null || !isIn(cursor, window)) return null;
  return (
    <span className="cursor-time" data-testid="cursor-time" style={{ left: leftOf(cursor, window) }}>
      {formatClock(cursor)}
    </span>
  );
}

/** The axis that all lanes share, and the handle of their cursor for the keyboard. */
export function TimeAxis({ window }: { window: Window }) {
  const cursor = useLanes((state) => state.cursor);
  const said = cursor === null ? "none" : `${formatClock(cursor)} ${formatOffset(cursor)}`;
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
