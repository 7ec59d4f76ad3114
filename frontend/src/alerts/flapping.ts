/** When a key flaps, as somebody fills it in, and as it is sent. */
import { formatLength } from "../core/ui/format";
import type { Alert } from "./calls";

export interface FlappingDraft {
  starts: string;
  minutes: string;
}

type Flapping = Pick<Alert, "flapping_starts" | "flapping_window_s">;

const MAX_STARTS = 1000;
const MIN_S = 10;
const MAX_S = 86_400;

export const draftFlapping = ({
  flapping_starts: starts,
  flapping_window_s: window,
}: Flapping): FlappingDraft => ({
  starts: String(starts),
  minutes: String(Number((window / 60).toFixed(2))),
});

export const NEW_FLAPPING: FlappingDraft = { starts: "4", minutes: "30" };

/** Why this cannot be sent, or null. */
export function refusesFlapping({ starts, minutes }: FlappingDraft): string | null {
  if (!/^\d+$/.test(starts.trim()) || Number(starts) > MAX_STARTS)
    return `Give the most starts of a key as a whole number up to ${MAX_STARTS.toLocaleString("en")}; 0: never flapping.`;
  const seconds = Number(minutes) * 60;
  if (minutes.trim() === "" || !(seconds >= MIN_S && seconds <= MAX_S))
    return "Give the minutes in which starts are counted: from 0.2 to 1,440.";
  return null;
}

export const toFlapping = ({ starts, minutes }: FlappingDraft): Flapping => ({
  flapping_starts: Number(starts),
  flapping_window_s: Math.round(Number(minutes) * 60),
});

export const describeFlapping = ({ flapping_starts: starts, flapping_window_s: window }: Flapping): string =>
  starts === 0 ? "never" : `after more than ${starts} starts in ${formatLength(window * 1_000_000)}`;
