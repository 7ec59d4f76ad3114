import { useId, useState, type FormEvent } from "react";
import type { Range } from "../core/api/dashboards";
import { formatDay, formatSecond, formatTime } from "../core/time/format";
import { pauseNow, windowOf } from "./clock";
import { get, lookAtNow, lookAtRange, lookAtStretch, pause, pinCursor, rangeOf, useBoard } from "./store";
import { InstantField } from "../core/ui/InstantField";
import { formatField, parseField } from "../core/time/parse";
import { RANGE_WORDS } from "./time";
import { DialogFoot } from "../core/ui/DialogFoot";

function span(start: number, end: number): string {
  const same = formatDay(start) === formatDay(end);
  return `${formatDay(start)} ${formatSecond(start)} – ${same ? "" : `${formatDay(end)} `}${formatTime(end)}`;
}

/** From and to, in the zone that is shown. */
function StretchForm({ close }: { close: () => void }) {
  const [{ start, end }] = useState(() => windowOf(get()));
  const [from, setFrom] = useState(formatField(start));
  const [to, setTo] = useState(formatField(Math.min(end, pauseNow())));
  const [first, last] = [parseField(from)?.us ?? null, parseField(to)?.us ?? null];
  const refusal =
    first === null || last === null
      ? "Enter both times."
      : first >= last
        ? "The end must be after the start."
        : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (first === null || last === null || refusal !== null) return;
    lookAtStretch({ start: first, end: last });
    close();
  };
  return (
    <form
      className="popover stretch-form"
      onSubmit={submit}
      onKeyDown={(event) => event.key === "Escape" && close()}
      aria-label="Fixed time range"
    >
      <InstantField label="From" value={from} set={setFrom} autoFocus />
      <InstantField label="To" value={to} set={setTo} />
      <DialogFoot failure={refusal} refusal={refusal} close={close}>
        Show
      </DialogFoot>
    </form>
  );
}

/** The stretch of time that all charts show, their cursor, and the pause. */
export function TimeControls() {
  const [choosing, setChoosing] = useState(false);
  const id = useId();
  const range = useBoard(rangeOf);
  const fixed = useBoard((state) => state.view.fixed);
  const cursor = useBoard((state) => state.view.cursor);
  const paused = useBoard((state) => state.pausedAt !== null);
  const choose = (value: string) => {
    if (value === "fixed") setChoosing(true);
    else lookAtRange(value as Range);
  };
  return (
    <>
      <label className="visually-hidden" htmlFor={id}>
        Time
      </label>
      <span className="popover-place">
        <select
          id={id}
          data-testid="range"
          value={fixed ? "held" : range}
          onChange={(event) => choose(event.target.value)}
        >
          {fixed && <option value="held">{span(fixed.start, fixed.end)}</option>}
          {Object.entries(RANGE_WORDS).map(([value, words]) => (
            <option key={value} value={value}>
              last {words}
            </option>
          ))}
          <option value="fixed">from … to …</option>
        </select>
        {choosing && <StretchForm close={() => setChoosing(false)} />}
      </span>
      {fixed === null && (
        <button
          type="button"
          data-testid="pause"
          aria-pressed={paused}
          onClick={() => pause(paused ? null : pauseNow())}
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
