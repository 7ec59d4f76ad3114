import { lazy, Suspense, useId, useState } from "react";
import { formatDay, formatSecond, formatTime } from "../core/time/format";
import { CALENDAR_RANGES, isRange, LAST_RANGES, spellRange } from "../core/time/range";
import "./range.css";
import type { Window } from "./window";

const RangeForm = lazy(() => import("./RangeForm"));

/** 2024-07-01 12:00:00 – 13:00:00 UTC+2 */
function spellWindow({ start, end }: Window): string {
  const day = formatDay(end);
  return `${formatDay(start)} ${formatSecond(start)} – ${formatDay(start) === day ? "" : `${day} `}${formatTime(end)}`;
}

interface Props {
  /** The name of the range. */
  range: string;
  /** Where another window is held. */
  held: Window | null;
  /** Also offered: all of time that there is. */
  all?: boolean;
  testid: string;
  /** What is shown now. */
  read: () => Window;
  choose: (range: string) => void;
  look: (window: Window) => void;
}

/** Which range of time is shown: one by its name, or any between two instants. */
export function RangePicker({ range, held, all = false, testid, read, choose, look }: Props) {
  const id = useId();
  const [asked, ask] = useState<Window | null>(null);
  const isListed =
    range === "all" ||
    LAST_RANGES.some((lastRange) => lastRange === range) ||
    Object.hasOwn(CALENDAR_RANGES, range);
  const change = (value: string) => {
    if (value === "other") ask(read());
    else if (value === "all" || isRange(value)) choose(value);
  };
  return (
    <span className="popover-place range-picker">
      <label className="visually-hidden" htmlFor={id}>
        Time range
      </label>
      <select
        id={id}
        data-testid={testid}
        value={held ? "held" : range}
        onChange={(event) => change(event.target.value)}
      >
        {held && <option value="held">{spellWindow(held)}</option>}
        {!isListed && <option value={range}>{spellRange(range)}</option>}
        {LAST_RANGES.map((lastRange) => (
          <option key={lastRange} value={lastRange}>
            {spellRange(lastRange)}
          </option>
        ))}
        {Object.entries(CALENDAR_RANGES).map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
        {all && <option value="all">all time</option>}
        <option value="other">other…</option>
      </select>
      {asked && (
        <Suspense fallback={null}>
          <RangeForm window={asked} choose={choose} look={look} close={() => ask(null)} />
        </Suspense>
      )}
    </span>
  );
}
