export type Tone = "green" | "amber" | "red" | "grey";

const TONES: Readonly<Record<string, Tone>> = { running: "green", failed: "red", stopped: "grey" };

/**
 * The colour of an observed state; all that is on its way (starting, retrying, stopping, idle) is amber. What was seen
 * before the page was cut off has none.
 */
export function tone(observed: string, lost = false): Tone {
  if (lost) return "grey";
  return TONES[observed] ?? "amber";
}
