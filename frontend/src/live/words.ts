/** What a lane says, in words. */
import { counted } from "../core/ui/format";
import { spellValue } from "../timechart/numbers";
import { inOneLine } from "../timechart/thinned";
import type { Said } from "./exactValue";
import type { Reading } from "../timechart/spans";

/** What a lane says at an instant; where change points are left out and the value is not asked for yet, how many. */
export function spellSaid({ reading, busy, projected }: Said): string {
  if (reading) return projected ? `≈ ${spellReading(reading)}, projected` : spellReading(reading);
  return busy ? `${busy.changes.toLocaleString("en")} changes` : "";
}

/** The same where there is little room: how fast a number climbs is seen from its line. */
export function spellShort(said: Said): string {
  if (!said.reading) return spellSaid(said);
  return `${said.projected ? "≈ " : ""}${spellReading({ ...said.reading, slope: 0 })}`;
}

/** What happened around an instant at which the lane does not show everything. */
export function spellBusy({ busy }: Said): string | null {
  return (
    busy &&
    `${busy.changes.toLocaleString("en")} changes are too dense to draw: ${inOneLine(busy)}. Zoom in to see them.`
  );
}

function spellReading({ value, slope }: Reading): string {
  if (value === null) return "unknown";
  if (typeof value !== "number") return String(value);
  const number = spellValue(value);
  return slope === 0 ? number : `${number} (${slope > 0 ? "+" : ""}${Number(slope.toPrecision(4))}/s)`;
}

/** How many of the keys that were looked at have a value: 1 of 1 key is true now. */
export function matchingWords(
  { matching, looked_at, stopped_at }: { matching: number; looked_at: number; stopped_at: number | null },
  value: string,
  when: string,
): string {
  const verb = (stopped_at === null ? ["is", "are"] : ["was", "were"])[matching === 1 ? 0 : 1];
  return `${matching.toLocaleString("en")} of ${counted(looked_at, "keys")} ${verb} ${value} ${when}`;
}
