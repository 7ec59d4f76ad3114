/** What a lane says, in words. */
import { counted } from "../core/ui/format";
import { inOneLine } from "../timechart/thinned";
import type { CursorReading } from "./valueAtCursor";
import type { Reading } from "../timechart/spans";
import { AS_GUESSED, spellValue, type Display } from "../timechart/display";

/** What a lane says at an instant; where change points are left out and the value is not asked for yet, how many. */
export function formatReading(
  { reading, busy, projected }: CursorReading,
  display: Display = AS_GUESSED,
): string {
  const words = reading && spellReading(reading, display);
  if (words !== null) return projected ? `≈ ${words}, projected` : words;
  return busy ? `${busy.changes.toLocaleString("en")} changes` : "";
}

/** The same where there is little room: how fast a number climbs is seen from its line. */
export function formatReadingShort(said: CursorReading, display: Display = AS_GUESSED): string {
  if (!said.reading) return formatReading(said, display);
  return `${said.projected ? "≈ " : ""}${spellReading({ ...said.reading, slope: 0 }, display)}`;
}

/** What happened around an instant at which the lane does not show everything. */
export function formatLeftOut({ busy }: CursorReading): string | null {
  return (
    busy &&
    `${busy.changes.toLocaleString("en")} changes are too dense to draw: ${inOneLine(busy)}. Zoom in to see them.`
  );
}

/** Of a duration how fast it climbs is no news. */
function spellReading({ value, slope }: Reading, display: Display): string {
  if (value === null) return "unknown";
  const words = spellValue(value, display);
  if (slope === 0 || display.format === "duration") return words;
  const plain = Number(slope.toPrecision(4)).toString();
  const pace = display.format === undefined ? plain : spellValue(slope, display).replace("−", "-");
  return `${words} (${slope > 0 ? "+" : ""}${pace}/s)`;
}

/** How many of the keys that were looked at have a value: 1 of 1 key is true now. */
export function describeMatching(
  { matching, looked_at, stopped_at }: { matching: number; looked_at: number; stopped_at: number | null },
  value: string,
  when: string,
): string {
  const verb = (stopped_at === null ? ["is", "are"] : ["was", "were"])[matching === 1 ? 0 : 1];
  return `${matching.toLocaleString("en")} of ${counted(looked_at, "keys")} ${verb} ${value} ${when}`;
}
