/** What a lane says, as text. */
import { formatCounted } from "../core/ui/format";
import { describeLeftOut } from "../timechart/thinned";
import type { CursorReading } from "./valueAtCursor";
import type { Reading } from "../timechart/spans";
import { AS_GUESSED, spellValue, type Display } from "../timechart/display";

/** Format a reading; if its value is not loaded, the number of change points that are left out. */
export function formatReading(
  { reading, busy, projected }: CursorReading,
  display: Display = AS_GUESSED,
): string {
  const words = reading && spellReading(reading, display);
  if (words !== null) return projected ? `≈ ${words}, projected` : words;
  return busy ? `${busy.changes.toLocaleString("en")} changes` : "";
}

/** Format a reading without its slope, which the line shows. */
export function formatReadingShort(cursorReading: CursorReading, display: Display = AS_GUESSED): string {
  if (!cursorReading.reading) return formatReading(cursorReading, display);
  return `${cursorReading.projected ? "≈ " : ""}${spellReading({ ...cursorReading.reading, slope: 0 }, display)}`;
}

/** Describe the change points that are left out around an instant. */
export function formatLeftOut({ busy }: CursorReading): string | null {
  return (
    busy &&
    `${busy.changes.toLocaleString("en")} changes are too dense to draw: ${describeLeftOut(busy)}. Zoom in to see them.`
  );
}

/** Format value and slope; a duration always climbs alike, so it has no slope. */
function spellReading({ value, slope }: Reading, display: Display): string {
  if (value === null) return "unknown";
  const words = spellValue(value, display);
  if (slope === 0 || display.format === "duration") return words;
  const plain = Number(slope.toPrecision(4)).toString();
  const pace = display.format === undefined ? plain : spellValue(slope, display).replace("−", "-");
  return `${words} (${slope > 0 ? "+" : ""}${pace}/s)`;
}

/** Describe how many keys have a value: "1 of 1 key is true now". */
export function describeMatching(
  { matching, looked_at, stopped_at }: { matching: number; looked_at: number; stopped_at: number | null },
  value: string,
  when: string,
): string {
  const verb = (stopped_at === null ? ["is", "are"] : ["was", "were"])[matching === 1 ? 0 : 1];
  return `${matching.toLocaleString("en")} of ${formatCounted(looked_at, "keys")} ${verb} ${value} ${when}`;
}
