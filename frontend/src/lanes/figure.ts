/** Plotly's data and layout of one lane. Pure; x is milliseconds since the epoch. */
import type { Kind, LeftOut } from "../api/types";
import { bounds, seen, shares, type Part } from "./busy";
import { colourOf, inkOn, rgba, type Register, type Theme } from "./colours";
import type { Span, Window } from "./spans";

export const LEFT = 64;
export const RIGHT = 16;
/** Room below a lane for the marks of corrections. */
export const MARKS = 16;
export const TOP = 4;

/** More spans than these are drawn as few paths: quick, however many there are. */
const MANY = 120;
/** So much of the window a span must take for its word to be written, where there are many. */
const WORD = 0.04;

export interface Figure {
  data: object[];
  layout: object;
  /** Of a number, the values at which it is labelled, and the bounds of its scale. */
  scale?: Scale | null;
}

export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

const ms = (us: number): number => us / 1000;

/** Unknown is hatched on nothing; provisional is hatched lighter on its own colour. */
function pattern(spans: readonly Span[], theme: Theme) {
  const hatch = ({ value, strength }: Span): string =>
    value === null ? rgba(theme.unknown, 0.85 * strength) : rgba(theme.hatch, theme.hatchStrength * strength);
  return {
    shape: spans.map((one) => (one.value === null ? "x" : one.provisional ? "/" : "")),
    fgcolor: spans.map(hatch),
    fillmode: "overlay",
    size: spans.map((one) => (one.value === null ? 5 : 7)),
    solidity: spans.map((one) => (one.value === null ? 0.25 : 0.2)),
  };
}

/** The words in a span; parts of one piece that follow its first do not say them again, unless that is out of sight. */
function words(one: Span, i: number, spans: readonly Span[], from: number): string {
  const before = spans[i - 1];
  const follows = before !== undefined && before.from === one.from && before.end === one.start;
  const goesOn = follows && one.start !== from;
  return one.end <= from || one.value === null || one.strength < 1 || goesOn ? "" : String(one.value);
}

/** Rectangles as one path. */
function area(parts: readonly Part[], colour: string, yaxis: string, more: object = {}): object {
  const x = parts.flatMap(({ start, end }) => [ms(start), ms(end), ms(end), ms(start), ms(start), null]);
  const y = parts.flatMap(({ low, high }) => [low, low, high, high, low, null]);
  const look = { mode: "lines", line: { width: 0 }, hoverinfo: "skip", connectgaps: false };
  return { type: "scatter", fill: "toself", fillcolor: colour, x, y, yaxis, ...look, ...more };
}

function grouped<Item>(items: readonly Item[], of: (item: Item) => string): Map<string, Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) {
    const some = found.get(of(item));
    if (some) some.push(item);
    else found.set(of(item), [item]);
  }
  return found;
}

/** Many spans: one path for each look, and words where there is room for them. */
function areas(spans: readonly Span[], theme: Theme, register: Register, yaxis: string, from: number) {
  const length = (spans.at(-1)?.end ?? 0) - from;
  const said = spans.map((one, i) => (one.end - one.start > length * WORD ? words(one, i, spans, from) : ""));
  const wide = spans.flatMap((one, i) => (said[i] === "" ? [] : [{ ...one, word: said[i] }]));
  const look = (one: Span): string =>
    JSON.stringify([colourOf(one.value, theme, register), one.value === null, one.provisional, one.strength]);
  const paths = [...grouped(spans, look).values()].map((some) => {
    const [one] = some as [Span];
    const parts = some.map(({ start, end, value }): Part => ({ start, end, low: 0, high: 1, value }));
    const { shape, fgcolor, size, solidity } = pattern([one], theme);
    const hatch = { shape: shape[0], fgcolor: fgcolor[0], size: size[0], solidity: solidity[0] };
    const colour = rgba(colourOf(one.value, theme, register), one.value === null ? 0 : one.strength);
    return area(parts, colour, yaxis, shape[0] === "" ? {} : { fillpattern: { ...hatch, bgcolor: colour } });
  });
  const labels = {
    ...bars(wide, theme, register, yaxis, -Infinity),
    text: wide.map((one) => one.word),
    marker: { color: "rgba(0,0,0,0)" },
  };
  return wide.length > 0 ? [...paths, labels] : paths;
}

/** Spans of states: each a bar with its word, or where there are many, few paths. */
function states(spans: readonly Span[], theme: Theme, register: Register, yaxis: string, from: number) {
  if (spans.length > MANY) return areas(spans, theme, register, yaxis, from);
  return [bars(spans, theme, register, yaxis, from)];
}

/** What is seen of stretches of which change points are left out. */
function busy(parts: readonly Part[], theme: Theme, register: Register | null, yaxis: string): object[] {
  const colour = ({ value }: Part): string => {
    if (value === undefined) return theme.faint;
    return register === null ? rgba(theme.line, 0.45) : colourOf(value, theme, register);
  };
  return [...grouped(parts, colour)].map(([of, some]) => area(some, of, yaxis));
}

function bars(
  spans: readonly Span[],
  theme: Theme,
  register: Register,
  yaxis: string,
  from: number,
): Record<string, unknown> {
  const colours = spans.map((one) => colourOf(one.value, theme, register));
  return {
    type: "bar",
    orientation: "h",
    yaxis,
    y: spans.map(() => 0.5),
    width: 1,
    base: spans.map((one) => ms(one.start)),
    x: spans.map((one) => ms(one.end - one.start)),
    text: spans.map((one, i) => words(one, i, spans, from)),
    textposition: "inside",
    insidetextanchor: "start",
    insidetextfont: { color: colours.map(inkOn) },
    textangle: 0,
    hoverinfo: "skip",
    marker: {
      color: spans.map((one, i) => rgba(colours[i] ?? theme.unknown, one.value === null ? 0 : one.strength)),
      line: { width: 0 },
      pattern: pattern(spans, theme),
    },
  };
}

/** The vertices of spans that follow each other: true slopes, and a vertical step at a jump. */
function line(spans: readonly Span[], colour: string, look: object): object {
  const x: (number | null)[] = [];
  const y: (number | null)[] = [];
  spans.forEach((one, i) => {
    if (i > 0 && spans[i - 1]?.end !== one.start) {
      x.push(null);
      y.push(null);
    }
    x.push(ms(one.start), ms(one.end));
    y.push(one.value as number, one.endValue as number);
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
function joined(spans: readonly Span[], wanted: (one: Span) => boolean): Span[] {
  return spans.flatMap((one, i) => {
    if (!wanted(one)) return [];
    const before = spans[i - 1];
    const jumps = before && !wanted(before) && before.end === one.start && before.endValue !== one.value;
    return jumps
      ? [{ ...one, end: one.start, value: before.endValue, endValue: before.endValue }, one]
      : [one];
  });
}

function lines(spans: readonly Span[], theme: Theme): object[] {
  const known = spans.filter((one) => typeof one.value === "number");
  const strengths = [...new Set(known.map((one) => one.strength))];
  const parts = strengths.flatMap((strength) =>
    [false, true].map((provisional) => {
      const part = joined(known, (one) => one.strength === strength && one.provisional === provisional);
      return line(part, rgba(theme.line, strength), provisional ? { dash: "3px,2px" } : {});
    }),
  );
  return parts;
}

/** The scale of what is seen in the window; what lies outside of it may go beyond. */
function extent(spans: readonly Span[], parts: readonly Part[], window: Window): Scale {
  let [low, high] = [Infinity, -Infinity];
  const sees = (value: unknown): void => {
    if (typeof value === "number") [low, high] = [Math.min(low, value), Math.max(high, value)];
  };
  const inside = ({ start, end }: Window): boolean => end > window.start && start < window.end;
  for (const one of spans)
    if (inside(one)) {
      sees(one.value);
      sees(one.endValue);
    }
  for (const part of parts)
    if (inside(part)) {
      sees(part.low);
      sees(part.high);
    }
  if (low > high) [low, high] = [0, 1];
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  return { low: low - room, high: high + room, ticks: nice(low - room, high + room) };
}

/** Two to four round values between two bounds. */
export function nice(low: number, high: number): number[] {
  const wanted = (high - low) / 3;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= wanted) ?? wanted;
  const first = Math.ceil(low / step);
  const many = Math.max(0, Math.floor(high / step) - first + 1);
  return Array.from({ length: many }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function finalLine(finalUntil: number | null, theme: Theme): object[] {
  if (finalUntil === null) return [];
  const x = ms(finalUntil);
  const look = { color: theme.faint, width: 1, dash: "4px,3px" };
  return [{ type: "line", xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1, line: look }];
}

function layout(
  window: Window,
  finalUntil: number | null,
  theme: Theme,
  y: Scale | null,
  sheet: boolean,
): object {
  const still = { showgrid: false, zeroline: false, fixedrange: true };
  const hidden = { ...still, range: [0, 1], showticklabels: false };
  const scale = {
    ...still,
    range: y && [y.low, y.high],
    showticklabels: !sheet,
    tickmode: "array",
    tickvals: y?.ticks,
    color: theme.faint,
    showgrid: true,
  };
  return {
    uirevision: "kept",
    autosize: true,
    margin: { l: sheet ? 0 : LEFT, r: sheet ? 0 : RIGHT, t: TOP, b: MARKS },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, sans-serif", size: 11, color: theme.faint },
    uniformtext: { mode: "hide", minsize: 10 },
    showlegend: false,
    hovermode: false,
    dragmode: "zoom",
    bargap: 0,
    barmode: "overlay",
    xaxis: { ...still, fixedrange: false, range: [ms(window.start), ms(window.end)], showticklabels: false },
    yaxis: y === null ? hidden : { ...scale, gridcolor: rgba(theme.faint, 0.18) },
    yaxis2: { ...hidden, overlaying: "y" },
    shapes: finalLine(finalUntil, theme),
  };
}

export interface Picture {
  kind: Kind | null;
  spans: readonly Span[];
  window: Window;
  finalUntil: number | null;
  theme: Theme;
  register: Register;
  /** Where change points are left out. */
  leftOut?: readonly LeftOut[];
  /**
   * What of the window is seen at first; the rest comes into sight when it is panned. Then the figure is all window: its
   * scale is drawn by who moves it.
   */
  sight?: Window;
}

export function figure(picture: Picture): Figure {
  const { kind, spans, window, finalUntil, theme, register, leftOut = [], sight = window } = picture;
  const sheet = picture.sight !== undefined;
  const left = seen(leftOut, window, window.end);
  const from = sight.start;
  if (kind !== "number") {
    const data = [...states(spans, theme, register, "y", from), ...busy(shares(left), theme, register, "y")];
    return { data, layout: layout(window, finalUntil, theme, null, sheet), scale: null };
  }
  const parts = bounds(left);
  const known = parts.filter((one) => one.value !== null);
  const unknown = spans.filter((one) => one.value === null);
  const data = [
    ...lines(spans, theme),
    ...states(unknown, theme, register, "y2", from),
    ...busy(known, theme, null, "y"),
  ];
  const scale = extent(spans, known, sight);
  return { data, layout: layout(window, finalUntil, theme, scale, sheet), scale };
}
