/** Plotly's data and layout of one lane. Pure; x is milliseconds since the epoch. */
import type { Kind, LeftOut } from "../core/api/types";
import type { Limit } from "../core/graph/limits";
import { FONT } from "../core/ui/font";
import { bounds, selectVisibleParts, computeShares } from "./thinned";
import { rgba, type Register, type Theme } from "./colours";
import { measureExtent, isOn, buildLines, widenBounds, withLimits, type Scale } from "./numbers";
import type { Span } from "./spans";
import type { Window } from "./window";
import { buildLeftOutTraces, buildStateTraces } from "./traces";

export const LEFT = 64;
export const RIGHT = 16;
/** Room below a lane for the marks of corrections. */
export const MARKS = 16;
export const TOP = 4;

export interface Figure {
  data: object[];
  layout: object;
  /** Of a number, the values at which it is labelled, and the bounds of its scale. */
  scale?: Scale | null;
}

const ms = (us: number): number => us / 1000;

function finalLine(finalUntil: number | null, theme: Theme): object[] {
  if (finalUntil === null) return [];
  const x = ms(finalUntil);
  const look = { color: theme.faint, width: 1, dash: "4px,3px" };
  return [{ type: "line", xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1, line: look }];
}

/** Lines across a number where alerts on it fire, and fainter ones where they end. */
function limitLines(limits: readonly Limit[], theme: Theme): object[] {
  return limits.map(({ value, clears }) => {
    const colour = theme.meanings.bad[0] ?? theme.line;
    const look = clears
      ? { color: rgba(colour, 0.6), width: 1, dash: "2px,3px" }
      : { color: colour, width: 1, dash: "6px,3px" };
    return { type: "line", xref: "paper", yref: "y", x0: 0, x1: 1, y0: value, y1: value, line: look };
  });
}

interface FigureStyle {
  shapes: object[];
  /** The scale of a number. */
  y: Scale | null;
  sheet: boolean;
  /** Whether states leave room for those of an earlier period below them. */
  compared: boolean;
}

function layout(window: Window, theme: Theme, { shapes, y, sheet, compared }: FigureStyle): object {
  const still = { showgrid: false, zeroline: false, fixedrange: true };
  const hidden = { ...still, range: [0, 1], showticklabels: false };
  const own = compared && y === null ? { ...hidden, domain: [0.34, 1] } : hidden;
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
    font: { family: FONT, size: 11, color: theme.faint },
    uniformtext: { mode: "hide", minsize: 10 },
    showlegend: false,
    hovermode: false,
    dragmode: "zoom",
    bargap: 0,
    barmode: "overlay",
    xaxis: { ...still, fixedrange: false, range: [ms(window.start), ms(window.end)], showticklabels: false },
    yaxis: y === null ? own : { ...scale, gridcolor: rgba(theme.faint, 0.18) },
    yaxis2: { ...hidden, overlaying: "y" },
    ...(compared && y === null && { yaxis3: { ...hidden, domain: [0, 0.26], anchor: "x" } }),
    shapes,
  };
}

/** What is drawn of an earlier period. */
interface Before {
  readonly spans: readonly Span[];
  readonly leftOut: readonly LeftOut[];
}

const FADED = 0.4;

/** Faded, and without words: those of the present are beside it. */
const faded = (traces: readonly object[]): object[] =>
  traces.map((trace) => ({ ...trace, opacity: FADED, ...("text" in trace && { textposition: "none" }) }));

function earlierStates(
  before: Before | null,
  window: Window,
  theme: Theme,
  register: Register,
  from: number,
): object[] {
  if (before === null) return [];
  const left = computeShares(selectVisibleParts(before.leftOut, window, window.end));
  return faded([
    ...buildStateTraces(before.spans, theme, register, "y3", from),
    ...buildLeftOutTraces(left, theme, register, "y3"),
  ]);
}

function earlierNumbers(
  { spans, leftOut }: Before,
  window: Window,
  theme: Theme,
  { display }: Register,
  scale: Scale,
): object[] {
  const left = selectVisibleParts(leftOut, window, window.end);
  const known = bounds(left).filter((one) => one.value !== null);
  return faded([
    ...buildLines(spans, left, theme, display),
    ...buildLeftOutTraces(widenBounds(known, scale), theme, null, "y"),
  ]);
}

export interface Picture {
  kind: Kind | null;
  spans: readonly Span[];
  window: Window;
  finalUntil: number | null;
  theme: Theme;
  register: Register;
  /** Of a number: where alerts on it fire and end. */
  limits?: readonly Limit[];
  /** Where change points are left out. */
  leftOut?: readonly LeftOut[];
  /** An earlier period, at the times with which it is compared. */
  before?: Before | null;
  /**
   * What of the window is seen at first; the rest comes into sight when it is panned. Then the figure is all window: its
   * scale is drawn by who moves it.
   */
  sight?: Window;
}

export function buildFigure(picture: Picture): Figure {
  const {
    kind,
    spans,
    window,
    finalUntil,
    theme,
    register,
    leftOut = [],
    before = null,
    limits = [],
    sight = window,
  } = picture;
  const final = finalLine(finalUntil, theme);
  const sheet = picture.sight !== undefined;
  const left = selectVisibleParts(leftOut, window, window.end);
  const from = sight.start;
  if (kind !== "number") {
    const data = [
      ...earlierStates(before, window, theme, register, from),
      ...buildStateTraces(spans, theme, register, "y", from),
      ...buildLeftOutTraces(computeShares(left), theme, register, "y"),
    ];
    const look = { shapes: final, y: null, sheet, compared: before !== null };
    return { data, layout: layout(window, theme, look), scale: null };
  }
  const known = bounds(left).filter((one) => one.value !== null);
  const unknown = spans.filter((span) => span.value === null);
  const were = before === null ? [] : bounds(selectVisibleParts(before.leftOut, window, window.end));
  const numbered = [...(before?.spans ?? []), ...spans];
  const parts = [...were.filter((one) => one.value !== null), ...known];
  const scale = withLimits(
    measureExtent(numbered, parts, sight) ?? measureExtent(numbered, parts, window),
    limits,
  );
  const shapes = [...final, ...limitLines(scale ? limits.filter((limit) => isOn(limit, scale)) : [], theme)];
  const numbers =
    scale === null
      ? []
      : [
          ...buildLines(spans, left, theme, register.display),
          ...buildLeftOutTraces(widenBounds(known, scale), theme, null, "y"),
        ];
  const earlier = before && scale ? earlierNumbers(before, window, theme, register, scale) : [];
  const data = [...earlier, ...numbers, ...buildStateTraces(unknown, theme, register, "y2", from)];
  return {
    data,
    layout: layout(window, theme, { shapes, y: scale, sheet, compared: before !== null }),
    scale,
  };
}
