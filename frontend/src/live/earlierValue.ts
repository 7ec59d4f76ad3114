/** What a lane said in the period with which it is compared, at the cursor, else now. */
import { earlierAt, formatEarlier } from "../timechart/compare";
import { useDisplay } from "../timechart/displays";
import { knownUntil, type Lane } from "../timechart/lane";
import { useEarlierLane } from "./earlier";
import { useCursorReading } from "./valueAtCursor";
import { useLanes } from "./store";

export function useSaidEarlier(name: string, lane: Lane, now: number): string {
  const cursor = useLanes((state) => state.cursor);
  const display = useDisplay(name);
  const cursorReading = useCursorReading(name, lane, now);
  const earlier = useEarlierLane(name, lane);
  if (earlier === null) return "";
  return formatEarlier(cursorReading.reading, earlierAt(earlier, cursor ?? knownUntil(lane, now)), display);
}
