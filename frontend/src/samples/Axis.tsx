import { Times, Zone } from "../timechart/Times";
import type { Window } from "../timechart/window";

const DAY = 86_400_000_000;
const dayOf = (us: number): number => Math.floor(us / DAY);

/** The times above the lanes of a sample; the cursor of what runs is not theirs. */
export function Axis({ window }: { window: Window }) {
  const days = dayOf(window.end) === dayOf(window.start) ? 0 : Infinity;
  return (
    <div className="time-axis" aria-hidden="true">
      <Zone window={window} />
      <div className="lane-chart">
        <Times window={window} days={days} />
      </div>
    </div>
  );
}
