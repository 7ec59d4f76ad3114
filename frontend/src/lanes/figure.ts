/** Plotly's data and layout of one lane. Pure; x is milliseconds since the epoch. */
import type { Kind } from "../api/types";
import { colourOf, inkOn, rgba, type Register, type Theme } from "./colours";
import type { Span, Window } from "./spans";

export const LEFT = 64;
export const RIGHT = 16;
/** Room below a lane for the marks of corrections. */
const MARKS = 16;

export interface Figure {
  data: object[];
  layout: object;
}

const ms = (us: number): number => us / 1000;

/** Unknown is hatched on nothing; provisional is hatched lighter on its own colour. */
function pattern(spans: readonly Span[], theme: Theme): object {
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

/** The words in a span; parts of one piece that follow its first do not say them again. */
function words(one: Span, i: number, spans: readonly Span[]): string {
  const before = spans[i - 1];
  const goesOn = before !== undefined && before.from === one.from && before.end === one.start;
  return one.value === null || one.strength < 1 || goesOn ? "" : String(one.value);
}

function bars(spans: readonly Span[], theme: Theme, register: Register, yaxis: string): object {
  const colours = spans.map((one) => colourOf(one.value, theme, register));
  return {
    type: "bar",
    orientation: "h",
    yaxis,
    y: spans.map(() => 0.5),
    width: 1,
    base: spans.map((one) => ms(one.start)),
    x: spans.map((one) => ms(one.end - one.start)),
    text: spans.map(words),
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

function extent(spans: readonly Span[]): [number, number] {
  const values = spans
    .flatMap((one) => [one.value, one.endValue])
    .filter((value): value is number => typeof value === "number");
  const [low, high] = values.length > 0 ? [Math.min(...values), Math.max(...values)] : [0, 1];
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  return [low - room, high + room];
}

function finalLine(finalUntil: number | null, theme: Theme): object[] {
  if (finalUntil === null) return [];
  const x = ms(finalUntil);
  const look = { color: theme.faint, width: 1, dash: "4px,3px" };
  return [{ type: "line", xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1, line: look }];
}

function layout(window: Window, finalUntil: number | null, theme: Theme, y: [number, number] | null): object {
  const still = { showgrid: false, zeroline: false, fixedrange: true };
  const hidden = { ...still, range: [0, 1], showticklabels: false };
  const scale = {
    ...still,
    range: y,
    showticklabels: true,
    nticks: 3,
    side: "left",
    color: theme.faint,
    showgrid: true,
  };
  return {
    uirevision: "kept",
    autosize: true,
    margin: { l: LEFT, r: RIGHT, t: 4, b: MARKS },
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
}

export function figure({ kind, spans, window, finalUntil, theme, register }: Picture): Figure {
  if (kind !== "number")
    return { data: [bars(spans, theme, register, "y")], layout: layout(window, finalUntil, theme, null) };
  const unknown = spans.filter((one) => one.value === null);
  const data = [...lines(spans, theme), bars(unknown, theme, register, "y2")];
  return { data, layout: layout(window, finalUntil, theme, extent(spans)) };
}
