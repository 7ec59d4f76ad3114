/** A number over time as the strength of a colour: many rows at once, where lines would be too small to compare. Pure. */
import type { LeftOut } from "../core/api/types";
import { rgba, type Theme } from "./colours";
import type { Span } from "./spans";
import type { Frame, Pen } from "./strip";
import { bounds } from "./thinned";
import type { Window } from "./window";

/** The values of the weakest and of the strongest colour. */
export type HeatScale = readonly [low: number, high: number];

const LEAST = 0.08;
const COLUMN = 3;

export function heatColour(value: number, [low, high]: HeatScale, theme: Theme): string {
  const share = high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 1;
  return rgba(theme.line, LEAST + (1 - LEAST) * share);
}

interface Strip {
  readonly spans: readonly Span[];
  readonly window: Window;
  readonly leftOut: readonly LeftOut[];
}

/** Draw a strip into a frame; a number that climbs gets stronger, column by column. */
export function paintHeat(pen: Pen, strip: Strip, frame: Frame, scale: HeatScale, theme: Theme): void {
  const { start, end } = strip.window;
  const at = (t: number): number => frame.left + ((t - start) / (end - start)) * frame.width;
  const fill = (value: number, from: number, to: number) => {
    pen.fillStyle = heatColour(value, scale, theme);
    pen.fillRect(from, frame.top, Math.max(0.5, to - from), frame.height);
  };
  for (const { value, endValue, start: begun, end: ended } of strip.spans) {
    if (typeof value !== "number" || typeof endValue !== "number") continue;
    // At whole pixels, or seams would be seen between columns that are not quite opaque.
    const [left, right] = [Math.round(at(begun)), Math.round(at(ended))];
    const step = value === endValue ? Infinity : COLUMN;
    for (let x = left; x < right; x += step) {
      const share = (x - left) / Math.max(1, right - left);
      fill(value + (endValue - value) * share, x, Math.min(right, x + step));
    }
  }
  for (const part of bounds(strip.leftOut))
    if (part.value !== null) fill((part.low + part.high) / 2, at(part.start), at(part.end));
}
