/** The times of an axis. */
import { clock, days as daysOf } from "../core/ui/format";
import { leftOf } from "./timeScale";
import type { Window } from "./window";

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
