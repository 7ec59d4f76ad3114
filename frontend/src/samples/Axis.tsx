import { ticks } from "../lanes/TimeAxis";
import { leftOf } from "../lanes/place";
import type { Window } from "../lanes/spans";
import { spellTime } from "./times";

const DAY = 86_400_000_000;

/** The times above the lanes of a sample; the cursor of what runs is not theirs. */
export function Axis({ window }: { window: Window }) {
  const dated = window.end - window.start > DAY;
  return (
    <div className="time-axis" aria-hidden="true">
      <div className="lane-label faint">UTC</div>
      <div className="lane-chart">
        {ticks(window).map((t) => (
          <span key={t} className="tick" style={{ left: leftOf(t, window) }}>
            {spellTime(Math.round(t), dated ? 0 : t)}
          </span>
        ))}
      </div>
    </div>
  );
}
