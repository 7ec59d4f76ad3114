import { Times, Zone } from "../timechart/Times";
import type { Window } from "../timechart/window";

/** The times above the lanes of a sample; the cursor of what runs is not theirs. */
export function Axis({ window }: { window: Window }) {
  return (
    <div className="time-axis" aria-hidden="true">
      <Zone window={window} />
      <div className="lane-chart">
        <Times window={window} />
      </div>
    </div>
  );
}
