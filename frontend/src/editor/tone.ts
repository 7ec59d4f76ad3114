export type Tone = "green" | "amber" | "red" | "grey";

const TONES: Readonly<Record<string, Tone>> = { running: "green", failed: "red", stopped: "grey" };

/** The colour of an observed state; all that is on its way (starting, retrying, stopping, idle) is amber. */
export function tone(observed: string): Tone {
  return TONES[observed] ?? "amber";
}
