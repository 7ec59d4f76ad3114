/** What of a timeline is seen in a window: spans cut to it, told apart by final, provisional and open. */
import type { LeftOut, Scalar } from "../core/api/types";
import { leftOutAt } from "./thinned";
import { indexAt, indexAtOrFirst, valueAt, type Piece } from "./pieces";
import type { Window } from "./window";

export interface Span {
  /** Cut to the window, microseconds. */
  readonly start: number;
  readonly end: number;
  /** As it is: null is since ever, or open. */
  readonly from: number | null;
  readonly to: number | null;
  readonly value: Scalar | null;
  readonly endValue: Scalar | null;
  readonly slope: number;
  readonly provisional: boolean;
  /** How much of its colour is left: 1, or less towards the open end. */
  readonly strength: number;
}

const TAIL_SHARE = 0.05;
const TAIL_STEPS = [0.86, 0.74, 0.62, 0.5, 0.38, 0.28, 0.18, 0.1];

function span(piece: Piece, to: number | null, start: number, end: number): Span {
  const value = valueAt(piece, start);
  const endValue = valueAt(piece, end);
  const { t: from, slope } = piece;
  return { start, end, from, to, value, endValue, slope, provisional: false, strength: 1 };
}

/** What has just begun where knowledge ends is drawn for this share of the window, though it has lasted for nothing yet. */
const BEGUN_SHARE = 1 / 320;

/** A stroke for a piece that begins at the very end of what is known. */
function begun(
  piece: Piece,
  to: number | null,
  window: Window,
  now: number,
  finalUntil: number | null,
): Span[] {
  if (piece.t !== now || now >= window.end) return [];
  const end = Math.min(window.end, to ?? Infinity, now + (window.end - window.start) * BEGUN_SHARE);
  return [{ ...span(piece, to, now, end), provisional: now >= (finalUntil ?? Infinity) }];
}

const CURVE_PARTS = 24;

/** A span of a piece; a ratio of two lines is no line, so it is drawn as many short ones. */
function curve(piece: Piece, to: number | null, start: number, end: number): Span[] {
  const parts = piece.den && piece.t !== null ? CURVE_PARTS : 1;
  const edge = (i: number): number => start + ((end - start) * i) / parts;
  return Array.from({ length: parts }, (_, i) => span(piece, to, edge(i), edge(i + 1)));
}

function cutAt(one: Span, piece: Piece, t: number, change: (part: Span) => Span): Span[] {
  if (t <= one.start) return [change(one)];
  if (t >= one.end) return [one];
  const middle = valueAt(piece, t);
  return [{ ...one, end: t, endValue: middle }, change({ ...one, start: t, value: middle })];
}

/** The open end fades away towards now. */
function faded(one: Span, piece: Piece, now: number, tail: number): Span[] {
  return TAIL_STEPS.reduce<Span[]>(
    (parts, strength, i) => {
      const last = parts.at(-1);
      const t = now - tail * (1 - i / TAIL_STEPS.length);
      if (!last) return parts;
      return [...parts.slice(0, -1), ...cutAt(last, piece, t, (part) => ({ ...part, strength }))];
    },
    [one],
  );
}

/** Whether a piece says only a part of what happened: it stands in a stretch of which something is left out. */
function partly(leftOut: readonly LeftOut[], piece: Piece): boolean {
  return piece.t !== null && leftOutAt(leftOut, piece.t) !== null;
}

/** Spans of `pieces` from `window.start` to the window's end, or to `now` where that is earlier; `goesOn`: after it, too. */
export function buildSpans(
  pieces: readonly Piece[],
  window: Window,
  now: number,
  finalUntil: number | null,
  leftOut: readonly LeftOut[] = [],
  goesOn = true,
): Span[] {
  const end = Math.min(window.end, now);
  const tail = (window.end - window.start) * TAIL_SHARE;
  const first = indexAtOrFirst(pieces, window.start);
  return pieces.slice(first, indexAt(pieces, end) + 1).flatMap((piece, i) => {
    const to = pieces[first + i + 1]?.t ?? null;
    const start = Math.max(piece.t ?? -Infinity, window.start);
    const stop = Math.min(to ?? Infinity, end);
    if (partly(leftOut, piece)) return [];
    if (stop <= start) return begun(piece, to, window, now, finalUntil);
    const provisional = curve(piece, to, start, stop).flatMap((part) =>
      cutAt(part, piece, finalUntil ?? Infinity, (late) => ({ ...late, provisional: true })),
    );
    const open = goesOn && (to === null || to > now);
    return open ? provisional.flatMap((part) => faded(part, piece, now, tail)) : provisional;
  });
}

export interface Reading {
  readonly value: Scalar | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly slope: number;
}

/** What the timeline says at `t`, and how long it says so. */
export function readingAt(pieces: readonly Piece[], t: number): Reading | null {
  const place = indexAt(pieces, t);
  const piece = pieces[place];
  if (!piece) return null;
  const next = pieces[place + 1];
  return { value: valueAt(piece, t), from: piece.t, to: next?.t ?? null, slope: piece.slope };
}
