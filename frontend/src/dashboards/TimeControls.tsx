import { formatTime } from "../core/time/format";
import { RangePicker } from "../timechart/RangePicker";
import type { Window } from "../timechart/window";
import { pauseNow, windowOf } from "./clock";
import {
  get,
  lookAtNow,
  lookAtRange,
  lookAtStretch,
  setPausedAt,
  pinCursor,
  rangeOf,
  useBoard,
} from "./store";

/** What is shown now, no later than that. */
function readWindow(): Window {
  const { start, end } = windowOf(get());
  return { start, end: Math.min(end, pauseNow()) };
}

/** The stretch of time that all charts show, their cursor, and the pause. */
export function TimeControls() {
  const range = useBoard(rangeOf);
  const fixed = useBoard((state) => state.view.fixed);
  const cursor = useBoard((state) => state.view.cursor);
  const paused = useBoard((state) => state.pausedAt !== null);
  return (
    <>
      <RangePicker
        testid="range"
        range={range}
        held={fixed}
        read={readWindow}
        choose={lookAtRange}
        look={lookAtStretch}
      />
      {fixed === null && (
        <button
          type="button"
          data-testid="pause"
          aria-pressed={paused}
          onClick={() => setPausedAt(paused ? null : pauseNow())}
        >
          {paused ? "Resume" : "Pause"}
        </button>
      )}
      {fixed !== null && (
        <button type="button" data-testid="follow" onClick={lookAtNow}>
          Go live
        </button>
      )}
      {cursor !== null && (
        <button type="button" className="quiet nowrap" data-testid="cursor" onClick={() => pinCursor(null)}>
          Cursor {formatTime(cursor)} ×
        </button>
      )}
    </>
  );
}
