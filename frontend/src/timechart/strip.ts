/** A timeline as a thin strip on a 2D canvas: cheap enough for every node of a plan at once. */
import type { Kind, LeftOut, Scalar } from "../core/api/types";
import { bounds, selectVisibleParts, computeShares } from "./thinned";
import { colourOf, fillOf, rgba, type Register, type Theme } from "./colours";
import type { Span } from "./spans";
import type { Window } from "./window";
import type { Display } from "./display";
import { cutAtThresholds, lineColour } from "./numbers";

export interface Strip {
  readonly kind: Kind | null;
  readonly spans: readonly Span[];
  readonly window: Window;
  readonly leftOut?: readonly LeftOut[];
}

export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export type Pen = Pick<
  CanvasRenderingContext2D,
  | "fillStyle" | "strokeStyle" | "lineWidth" | "globalAlpha"
  | "fillRect" | "beginPath" | "moveTo" | "lineTo" | "stroke" | "save" | "restore" | "rect" | "clip"
>; // prettier-ignore

const HATCH = 4;

function hatched(pen: Pen, x: number, width: number, { top, height }: Frame, colour: string): void {
  pen.save();
  pen.beginPath();
  pen.rect(x, top, width, height);
  pen.clip();
  pen.beginPath();
  const first = Math.floor((x - height) / HATCH) * HATCH;
  for (let at = first; at < x + width; at += HATCH) {
    pen.moveTo(at, top + height);
    pen.lineTo(at + height, top);
  }
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.stroke();
  pen.restore();
}

function extent(spans: readonly Span[], leftOut: readonly LeftOut[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const one of leftOut)
    if (one.low != null && one.high != null) [low, high] = [Math.min(low, one.low), Math.max(high, one.high)];
  for (const { value, endValue } of spans)
    for (const scalar of [value, endValue])
      if (typeof scalar === "number") [low, high] = [Math.min(low, scalar), Math.max(high, scalar)];
  return low > high ? [0, 1] : low === high ? [low - 1, high + 1] : [low, high];
}

function lines(
  pen: Pen,
  spans: readonly Span[],
  left: readonly LeftOut[],
  at: (t: number) => number,
  frame: Frame,
  theme: Theme,
  display: Display,
) {
  const [low, high] = extent(spans, left);
  const y = (value: number) =>
    frame.top + frame.height - 1 - ((value - low) / (high - low)) * (frame.height - 2);
  pen.lineWidth = 1.25;
  const strokeIn = (colour: string): void => {
    pen.strokeStyle = colour;
    pen.stroke();
    pen.beginPath();
  };
  pen.beginPath();
  let before: Span | null = null;
  let colour = theme.line;
  for (const span of cutAtThresholds(spans, display.thresholds ?? [])) {
    if (typeof span.value !== "number" || typeof span.endValue !== "number") before = null;
    else {
      const next = lineColour(span, theme, display);
      const follows = before?.end === span.start && typeof before.endValue === "number";
      if (next !== colour) {
        strokeIn(colour);
        if (follows) pen.moveTo(at(span.start), y(Number(before?.endValue)));
        colour = next;
      }
      if (follows) pen.lineTo(at(span.start), y(span.value));
      else pen.moveTo(at(span.start), y(span.value));
      pen.lineTo(at(span.end), y(span.endValue));
      before = span;
    }
  }
  strokeIn(colour);
  pen.fillStyle = rgba(theme.line, 0.45);
  for (const part of bounds(left))
    if (part.value !== null)
      pen.fillRect(
        at(part.start),
        y(part.high),
        Math.max(0.5, at(part.end) - at(part.start)),
        Math.max(1, y(part.low) - y(part.high)),
      );
}

/** Stretches of which change points are left out: each value as high as its share. */
function stacks(
  pen: Pen,
  left: readonly LeftOut[],
  at: (t: number) => number,
  frame: Frame,
  colour: (value: Scalar | null | undefined) => string,
) {
  for (const { start, end, low, high, value } of computeShares(left)) {
    pen.fillStyle = colour(value);
    const top = frame.top + frame.height * (1 - high);
    pen.fillRect(at(start), top, Math.max(0.5, at(end) - at(start)), frame.height * (high - low));
  }
}

/** Draw a strip into a frame of a canvas. */
export function paint(pen: Pen, strip: Strip, frame: Frame, theme: Theme, register: Register): void {
  const { start, end } = strip.window;
  const at = (t: number): number => frame.left + ((t - start) / (end - start)) * frame.width;
  for (const span of strip.spans) {
    const [x, width] = [at(span.start), Math.max(0.5, at(span.end) - at(span.start))];
    if (span.value === null) hatched(pen, x, width, frame, rgba(theme.unknown, 0.85 * span.strength));
    else if (typeof span.value !== "number") {
      pen.fillStyle = rgba(
        colourOf(span.value, theme, register),
        span.strength * (span.provisional ? 0.7 : 1),
      );
      pen.fillRect(x, frame.top, width, frame.height);
    }
  }
  const left = selectVisibleParts(strip.leftOut ?? [], strip.window, Infinity);
  if (strip.kind === "number") lines(pen, strip.spans, left, at, frame, theme, register.display);
  else
    stacks(pen, left, at, frame, (value) =>
      value === undefined ? theme.faint : fillOf(value, theme, register),
    );
}
