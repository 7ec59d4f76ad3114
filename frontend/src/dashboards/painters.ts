/**
 * How each sort of chart is drawn. Plotly draws what is final, which only moves along; what may still change is drawn
 * upon it, on a canvas and with the same scales, which costs next to nothing ten times a second.
 */
import type { LeftOut } from "../core/api/types";
import { selectVisibleParts as seenOf, computeShares } from "../timechart/thinned";
import { colourOf, fillOf, inkOn, rgba, type Register, type Theme, colourNamed } from "../timechart/colours";
import { buildFigure } from "../timechart/figure";
import type { Piece } from "../timechart/pieces";
import { registerOf, registerOfValues } from "../timechart/colourRegister";
import { buildSpans, type Span } from "../timechart/spans";
import type { Window } from "../timechart/window";
import type { Mapping } from "./frame";
import { extentOf, lineOf, stackOf, selectPieces, type Layer, type ScaleBounds } from "./series";
import { thinPoints, type Vertex } from "../timechart/thin";
import { AS_GUESSED, type ColourName, type Display } from "../timechart/display";
import { splitAtThresholds } from "./thresholds";

export interface Moment {
  readonly window: Window;
  readonly now: number;
  readonly finalUntil: number | null;
  /** Whether the open end goes on after now. */
  readonly goesOn: boolean;
  readonly theme: Theme;
  /** How many columns of pixels there are. */
  readonly columns: number;
}

export interface Painter {
  /** The values to make room for between two instants; null: it has no scale. */
  extent(from: number, to: number): [number, number] | null;
  readonly scaled: boolean;
  readonly bounds?: ScaleBounds;
  /** Plotly's traces of what lies before `until`. */
  traces(moment: Moment, until: number): object[];
  /** What lies after `from`. */
  paint(ink: CanvasRenderingContext2D, at: Mapping, moment: Moment, from: number): void;
}

const ms = (us: number): number => us / 1000;

/** Where what is shown ends: at now, or where the window does. */
const endOf = ({ window, now }: Moment): number => Math.min(window.end, now);

function thinned(line: readonly Vertex[], { window, columns }: Moment): Vertex[] {
  return thinPoints(line, window.start, window.end, columns);
}

function stroke(ink: CanvasRenderingContext2D, at: Mapping, line: readonly Vertex[]): void {
  ink.beginPath();
  let gap = true;
  for (const { x, y } of line) {
    if (y === null) gap = true;
    else if (gap) {
      ink.moveTo(at.x(x), at.y(y));
      gap = false;
    } else ink.lineTo(at.x(x), at.y(y));
  }
  ink.stroke();
}

const xy = (line: readonly Vertex[]) => ({
  x: line.map((vertex) => ms(vertex.x)),
  y: line.map((vertex) => vertex.y),
});

const lineColour = (name: ColourName | null, theme: Theme): string =>
  name === null ? theme.line : colourNamed(name, theme);

export function linePainter(
  pieces: readonly Piece[],
  leftOut: readonly LeftOut[] = [],
  display: Display = AS_GUESSED,
): Painter {
  return {
    scaled: true,
    extent: (start, end) => extentOf([lineOf(pieces, { start, end }, leftOut)]),
    traces(moment, until) {
      const line = thinned(lineOf(pieces, { start: moment.window.start, end: until }, leftOut), moment);
      return splitAtThresholds(line, display).map(({ colour, line: part }) => {
        const look = { color: lineColour(colour, moment.theme), width: 2 };
        return { type: "scatter", mode: "lines", hoverinfo: "skip", line: look, ...xy(part) };
      });
    },
    paint(ink, at, moment, from) {
      ink.lineWidth = 2;
      ink.lineJoin = "round";
      const line = thinned(lineOf(pieces, { start: from, end: endOf(moment) }, leftOut), moment);
      for (const { colour, line: part } of splitAtThresholds(line, display)) {
        ink.strokeStyle = lineColour(colour, moment.theme);
        stroke(ink, at, part);
      }
    },
  };
}

interface Group {
  key: string;
  pieces: readonly Piece[];
}

/** A line for each group, all on one scale. */
export function linesPainter(groups: readonly Group[]): Painter {
  const register = registerOfValues(groups.map((group) => group.key));
  const linesIn = (start: number, end: number) =>
    groups.map(({ key, pieces }) => ({ key, line: lineOf(pieces, { start, end }) }));
  return {
    scaled: true,
    extent: (start, end) => extentOf(linesIn(start, end).map(({ line }) => line)),
    traces: (moment, until) =>
      linesIn(moment.window.start, until).map(({ key, line }) => {
        const look = { color: colourOf(key, moment.theme, register), width: 2 };
        return {
          type: "scatter",
          mode: "lines",
          hoverinfo: "skip",
          line: look,
          ...xy(thinned(line, moment)),
        };
      }),
    paint(ink, at, moment, from) {
      ink.lineWidth = 2;
      ink.lineJoin = "round";
      for (const { key, line } of linesIn(from, endOf(moment))) {
        ink.strokeStyle = colourOf(key, moment.theme, register);
        stroke(ink, at, thinned(line, moment));
      }
    },
  };
}

/** Each layer's area begins where the one below it ends. */
function fillLayers(
  ink: CanvasRenderingContext2D,
  at: Mapping,
  layers: readonly Layer[],
  theme: Theme,
  register: Register,
): void {
  let below: readonly Vertex[] | null = null;
  for (const { key, line } of layers) {
    const colour = colourOf(key, theme, register);
    const ground: readonly Vertex[] = below ?? line.map(({ x }) => ({ x, y: 0 }));
    ink.beginPath();
    for (const { x, y } of line) ink.lineTo(at.x(x), at.y(y ?? 0));
    for (let i = ground.length - 1; i >= 0; i--) ink.lineTo(at.x(ground[i]?.x ?? 0), at.y(ground[i]?.y ?? 0));
    ink.closePath();
    ink.fillStyle = rgba(colour, 0.55);
    ink.fill();
    ink.strokeStyle = colour;
    ink.lineWidth = 1.5;
    stroke(ink, at, line);
    below = line;
  }
}

export function stackPainter(groups: readonly Group[]): Painter {
  const register = registerOfValues(groups.map((group) => group.key));
  return {
    scaled: true,
    extent(start, end) {
      const found = extentOf(stackOf(groups, { start, end }).map((layer) => layer.line));
      return found && [Math.min(0, found[0]), Math.max(0, found[1])];
    },
    traces(moment, until) {
      const layers = stackOf(groups, { start: moment.window.start, end: until });
      return layers.map(({ key, line }, i) => {
        const colour = colourOf(key, moment.theme, register);
        return {
          type: "scatter",
          mode: "lines",
          hoverinfo: "skip",
          fill: i === 0 ? "tozeroy" : "tonexty",
          fillcolor: rgba(colour, 0.55),
          line: { color: colour, width: 1.5 },
          ...xy(thinned(line, moment)),
        };
      });
    },
    paint(ink, at, moment, from) {
      fillLayers(ink, at, stackOf(groups, { start: from, end: endOf(moment) }), moment.theme, register);
    },
  };
}

const HATCH_STEP = 7;

/** Lines across a span: provisional leans one way, unknown both ways. */
function hatch(ink: CanvasRenderingContext2D, box: [number, number, number, number], both: boolean): void {
  const [x, y, wide, high] = box;
  ink.save();
  ink.beginPath();
  ink.rect(x, y, wide, high);
  ink.clip();
  ink.beginPath();
  const first = Math.floor((x - high) / HATCH_STEP) * HATCH_STEP;
  for (let from = first; from < x + wide; from += HATCH_STEP) {
    ink.moveTo(from, y + high);
    ink.lineTo(from + high, y);
    if (!both) continue;
    ink.moveTo(from, y);
    ink.lineTo(from + high, y + high);
  }
  ink.lineWidth = 1;
  ink.stroke();
  ink.restore();
}

interface Style {
  theme: Theme;
  register: Register;
}

function paintSpan(ink: CanvasRenderingContext2D, at: Mapping, span: Span, { theme, register }: Style): void {
  const [x, end] = [Math.round(at.x(span.start)), Math.round(at.x(span.end))];
  const box: [number, number, number, number] = [x, at.top, Math.max(0, end - x), at.bottom - at.top];
  const unknown = span.value === null;
  if (span.value !== null) {
    ink.fillStyle = rgba(colourOf(span.value, theme, register), span.strength);
    ink.fillRect(...box);
  }
  if (!unknown && !span.provisional) return;
  ink.strokeStyle = unknown
    ? rgba(theme.unknown, 0.9 * span.strength)
    : rgba(theme.hatch, theme.hatchStrength * span.strength);
  hatch(ink, box, unknown);
}

/** No letter is narrower, in pixels: what is shorter than so many of them need not be measured, which takes long. */
const NARROWEST = 2;

/** What a span says, where there is room for it. */
function label(ink: CanvasRenderingContext2D, at: Mapping, span: Span, until: number, look: Style): void {
  if (span.value === null) return;
  const text = look.register.label(span.value);
  const x = Math.max(at.x(span.start), at.left) + 6;
  const room = at.x(until) - 6 - x;
  if (room < text.length * NARROWEST || room < ink.measureText(text).width) return;
  ink.fillStyle = inkOn(colourOf(span.value, look.theme, look.register));
  ink.fillText(text, x, (at.top + at.bottom) / 2);
}

/** Stretches of which change points are left out: each value as high as its share of the time. */
function paintShares(
  ink: CanvasRenderingContext2D,
  at: Mapping,
  leftOut: readonly LeftOut[],
  stretch: Window,
  { theme, register }: Style,
): void {
  const tall = at.bottom - at.top;
  for (const { start, end, low, high, value } of computeShares(seenOf(leftOut, stretch, Infinity))) {
    const x = at.x(Math.max(start, stretch.start));
    ink.fillStyle = value === undefined ? theme.faint : fillOf(value, theme, register);
    ink.fillRect(
      x,
      at.bottom - high * tall,
      Math.max(0.5, at.x(Math.min(end, stretch.end)) - x),
      (high - low) * tall,
    );
  }
}

export function lanePainter(
  pieces: readonly Piece[],
  leftOut: readonly LeftOut[] = [],
  display: Display = AS_GUESSED,
): Painter {
  const register = registerOf(pieces, leftOut, display);
  return {
    scaled: false,
    extent: () => null,
    traces({ window, now, finalUntil, goesOn, theme }, until) {
      const stretch = { start: window.start, end: until };
      const seen = buildSpans(selectPieces(pieces, stretch), stretch, now, finalUntil, leftOut, goesOn);
      const cut = leftOut.flatMap((one) =>
        one.from < until ? [{ ...one, to: Math.min(one.to, until) }] : [],
      );
      return buildFigure({ kind: "text", spans: seen, window, finalUntil, theme, register, leftOut: cut })
        .data;
    },
    paint(ink, at, { window, now, finalUntil, goesOn, theme }, from) {
      const look = { theme, register };
      const near = selectPieces(pieces, { start: from, end: window.end });
      paintShares(ink, at, leftOut, { start: from, end: Math.min(window.end, now) }, look);
      const seen = buildSpans(near, window, now, finalUntil, leftOut, goesOn).flatMap((span) =>
        span.end <= from ? [] : [{ ...span, start: Math.max(span.start, from) }],
      );
      ink.textBaseline = "middle";
      seen.forEach((one) => paintSpan(ink, at, one, look));
      seen.forEach((one, i) => {
        if (i > 0 && seen[i - 1]?.from === one.from) return;
        if (one.start === from && from > window.start && one.from !== from) return;
        const last = seen.findLast((other) => other.from === one.from && other.strength > 0.4);
        label(ink, at, one, last?.end ?? one.end, look);
      });
    },
  };
}
