/** Plotly's traces of numbers: lines with their true slopes, and the scale that they are seen on. Pure. */
import type { LeftOut } from "../core/api/types";
import type { Limit } from "../core/graph/limits";
import { leftOutAt, type Part } from "./thinned";
import { rgba, type Theme, colourNamed } from "./colours";
import type { Span } from "./spans";
import type { Window } from "./window";
import { AS_GUESSED, thresholdOf, type Display, type Threshold } from "./display";

export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

const ms = (us: number): number => us / 1000;

/** Gaps of at most so much of the line that is drawn are bridged, where what is left out there is a number. */
const NARROW = 1 / 800;

/** Whether a gap is so narrow that it is not seen, and full of numbers that are left out. */
function isBridged(from: number, to: number, narrow: number, leftOut: readonly LeftOut[]): boolean {
  return to - from <= narrow && leftOutAt(leftOut, (from + to) / 2)?.low != null;
}

/** The vertices of spans that follow each other: true slopes, and a vertical step at a jump. */
function line(spans: readonly Span[], leftOut: readonly LeftOut[], colour: string, look: object): object {
  const x: (number | null)[] = [];
  const y: (number | null)[] = [];
  const narrow = ((spans.at(-1)?.end ?? 0) - (spans[0]?.start ?? 0)) * NARROW;
  spans.forEach((span, i) => {
    const before = spans[i - 1];
    if (before && before.end !== span.start && !isBridged(before.end, span.start, narrow, leftOut)) {
      x.push(null);
      y.push(null);
    }
    x.push(ms(span.start), ms(span.end));
    y.push(span.value as number, span.endValue as number);
  });
  return {
    type: "scatter",
    mode: "lines",
    x,
    y,
    hoverinfo: "skip",
    line: { color: colour, width: 2, shape: "linear", ...look },
  };
}

/** A jump from one look to the next (final to provisional, or fading) keeps its vertical step. */
function joined(spans: readonly Span[], wanted: (span: Span) => boolean): Span[] {
  return spans.flatMap((span, i) => {
    if (!wanted(span)) return [];
    const before = spans[i - 1];
    const jumps = before && !wanted(before) && before.end === span.start && before.endValue !== span.value;
    return jumps
      ? [{ ...span, end: span.start, value: before.endValue, endValue: before.endValue }, span]
      : [span];
  });
}

/** The shares of a climbing span at which it passes thresholds. */
function passes(from: number, to: number, thresholds: readonly Threshold[]): number[] {
  const shares = thresholds.map(({ start }) => (start - from) / (to - from));
  return shares.filter((share) => share > 0 && share < 1).toSorted((a, b) => a - b);
}

/** Spans cut where they pass a threshold, so that each has one colour. */
export function cutAtThresholds(spans: readonly Span[], thresholds: readonly Threshold[]): Span[] {
  return spans.flatMap((span) => {
    const { start, end, value, endValue } = span;
    if (typeof value !== "number" || typeof endValue !== "number" || value === endValue) return [span];
    const shares = [0, ...passes(value, endValue, thresholds), 1];
    return shares.slice(1).map((share, i) => {
      const at = (part: number): number => start + (end - start) * part;
      const on = (part: number): number => (part === 1 ? endValue : value + (endValue - value) * part);
      const before = shares[i] ?? 0;
      return { ...span, start: at(before), end: at(share), value: on(before), endValue: on(share) };
    });
  });
}

/** The colour of a span of a number, which passes no threshold. */
export function lineColour({ value, endValue }: Span, theme: Theme, display: Display): string {
  const name = thresholdOf((Number(value) + Number(endValue)) / 2, display);
  return name === null ? theme.line : colourNamed(name, theme);
}

/** One line for each look: how strong it is, whether it may still change, and the colour of its threshold. */
export function buildLines(
  spans: readonly Span[],
  leftOut: readonly LeftOut[],
  theme: Theme,
  display: Display = AS_GUESSED,
): object[] {
  const known = cutAtThresholds(
    spans.filter((span) => typeof span.value === "number"),
    display.thresholds ?? [],
  );
  const strengths = [...new Set(known.map((span) => span.strength))];
  const colours = [...new Set([theme.line, ...known.map((span) => lineColour(span, theme, display))])];
  return strengths.flatMap((strength) =>
    [false, true].flatMap((provisional) =>
      colours.map((colour) => {
        const part = joined(
          known,
          (span) =>
            span.strength === strength &&
            span.provisional === provisional &&
            lineColour(span, theme, display) === colour,
        );
        return line(part, leftOut, rgba(colour, strength), provisional ? { dash: "3px,2px" } : {});
      }),
    ),
  );
}

/** The scale of what is seen in the window; what lies outside of it may go beyond. Of no numbers there is none. */
export function measureExtent(spans: readonly Span[], parts: readonly Part[], window: Window): Scale | null {
  let [low, high] = [Infinity, -Infinity];
  const sees = (value: unknown): void => {
    if (typeof value === "number") [low, high] = [Math.min(low, value), Math.max(high, value)];
  };
  const inside = ({ start, end }: Window): boolean => end > window.start && start < window.end;
  for (const span of spans)
    if (inside(span)) {
      sees(span.value);
      sees(span.endValue);
    }
  for (const part of parts)
    if (inside(part)) {
      sees(part.low);
      sees(part.high);
    }
  if (low > high) return null;
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  return { low: low - room, high: high + room, ticks: selectRoundValues(low - room, high + room) };
}

/** A limit that is farther away from what is seen than that is not drawn: the line would lie flat. */
const NEAR = 1;

export const isOn = ({ value }: Limit, { low, high }: Scale): boolean => value >= low && value <= high;

/** The scale with the limits that are near it. */
export function withLimits(scale: Scale | null, limits: readonly Limit[]): Scale | null {
  if (scale === null) return null;
  const reach = (scale.high - scale.low) * NEAR;
  const near = limits
    .map(({ value }) => value)
    .filter((value) => value >= scale.low - reach && value <= scale.high + reach);
  const [low, high] = [Math.min(scale.low, ...near), Math.max(scale.high, ...near)];
  if (low === scale.low && high === scale.high) return scale;
  const room = (high - low) * 0.08;
  const [least, most] = [low < scale.low ? low - room : low, high > scale.high ? high + room : high];
  return { low: least, high: most, ticks: selectRoundValues(least, most) };
}

/** So much of the scale is seen at least: a line is no thinner. */
const THIN = 0.024;

/** Bounds that are too close to be seen, with room between them. */
export function widenBounds(parts: readonly Part[], { low, high }: Scale): Part[] {
  const least = (high - low) * THIN;
  return parts.map((part) => {
    const more = Math.max(0, least - (part.high - part.low)) / 2;
    return { ...part, low: part.low - more, high: part.high + more };
  });
}

/** Two to four round values between two bounds. */
export function selectRoundValues(low: number, high: number): number[] {
  const wanted = (high - low) / 3;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= wanted) ?? wanted;
  const first = Math.ceil(low / step);
  const many = Math.max(0, Math.floor(high / step) - first + 1);
  return Array.from({ length: many }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
