/** What a lane says, in words. */
import type { Reading } from "./spans";

export function spellReading({ value, slope }: Reading): string {
  if (value === null) return "unknown";
  if (typeof value !== "number") return String(value);
  const number = Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 3 });
  return slope === 0 ? number : `${number} (${slope > 0 ? "+" : ""}${Number(slope.toPrecision(4))}/s)`;
}
