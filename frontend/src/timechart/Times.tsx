/** The times of an axis. */
import { formatDays, formatOffsets } from "../core/time/format";
import { formatTick, layTicks } from "../core/time/ticks";
import { readZone } from "../core/time/zone";
import { leftOf } from "./timeScale";
import type { Window } from "./window";

const MOST = 9;
/** A time of more letters needs more room. */
const LONG = 8;

/** The times of an axis, on the round times of the zone that is shown. */
export function Times({ window }: { window: Window }) {
  const { at, step } = layTicks(window, MOST);
  return at.map((t) => {
    const words = formatTick(t, step, window);
    return (
      <span
        key={t}
        className={words.length > LONG ? "tick long" : "tick"}
        style={{ left: leftOf(t, window) }}
      >
        {words}
      </span>
    );
  });
}

/** How far the clocks of an axis are ahead of UTC, and of which days its times are, unless of today. */
export function Zone({ window: { start, end } }: { window: Window }) {
  return (
    <div className="lane-label faint" title={readZone()} data-testid="axis-zone">
      {[formatDays(start, end), formatOffsets(start, end)].filter(Boolean).join(" ")}
    </div>
  );
}
