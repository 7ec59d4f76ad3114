/** Timelines of numbers as lines and as stacks of lines. Pure. */
import type { LeftOut } from "../core/api/types";
import { leftOutAt } from "../timechart/thinned";
import { indexAtOrFirst, valueAt, type Piece } from "../timechart/pieces";
import type { Window } from "../timechart/window";
import type { Vertex } from "../timechart/thin";

const CURVE_PARTS = 24;

/** Those pieces that say something of a window. */
export function selectPieces(pieces: readonly Piece[], { start, end }: Window): readonly Piece[] {
  return pieces.slice(indexAtOrFirst(pieces, start), indexAtOrFirst(pieces, end) + 1);
}

export function numberAt(pieces: readonly Piece[], t: number): number | null {
  const piece = pieces[indexAtOrFirst(pieces, t)];
  if (piece === undefined || (piece.t !== null && piece.t > t)) return null;
  const value = valueAt(piece, t);
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

const known = (y: unknown): number | null => (typeof y === "number" && Number.isFinite(y) ? y : null);

/** What is known of a stretch of which change points are left out: between which bounds the line went. */
function bounded(
  { from, to, low = null, high = null }: LeftOut,
  first: number | null,
  window: Window,
): Vertex[] {
  const [x, end] = [Math.max(from, window.start), Math.min(to, window.end)];
  const box = [x, x, end, end].map((at, i) => ({ x: at, y: i === 0 || i === 3 ? low : high }));
  return [...(first === null ? [] : [{ x, y: first }]), ...box];
}

/**
 * The line of a timeline inside a window: true slopes, a vertical step at a jump, gaps where it is unknown. Where change points
 * are left out it goes round the bounds of what it did, which is a stroke where that is narrow.
 */
export function lineOf(pieces: readonly Piece[], window: Window, leftOut: readonly LeftOut[] = []): Vertex[] {
  const line: Vertex[] = [];
  const seen = selectPieces(pieces, window);
  let told: LeftOut | null = null;
  seen.forEach((piece, i) => {
    const busy = piece.t === null ? null : leftOutAt(leftOut, piece.t);
    if (busy) {
      if (busy !== told) line.push(...bounded(busy, known(piece.value), window));
      told = busy;
      return;
    }
    const start = Math.max(piece.t ?? -Infinity, window.start);
    const end = Math.min(seen[i + 1]?.t ?? Infinity, window.end);
    if (end < start) return;
    const parts = piece.den && piece.t !== null ? CURVE_PARTS : 1;
    for (let part = 0; part <= parts; part++) {
      const x = start + ((end - start) * part) / parts;
      line.push({ x, y: known(valueAt(piece, x)) });
    }
  });
  return line;
}

/** Rows by their number at an instant, which is another one than that at which they were ranked; unknown last. */
export function sortByNumber<R extends { readonly pieces: readonly Piece[] }>(
  rows: readonly R[],
  t: number,
  order: "most" | "least",
): readonly R[] {
  const sign = order === "most" ? -1 : 1;
  const worth = ({ pieces }: R): number => {
    const number = numberAt(pieces, t);
    return number === null ? Infinity : sign * number;
  };
  const ranked = rows.map((row) => ({ row, worth: worth(row) }));
  return ranked.sort((a, b) => (a.worth === b.worth ? 0 : a.worth - b.worth)).map(({ row }) => row);
}

/** The instants at which any of the lines bends, jumps, begins or ends; jumps twice, before and after. */
function instants(lines: readonly (readonly Piece[])[], window: Window): number[] {
  const changes = lines.flatMap((pieces) =>
    selectPieces(pieces, window).map((piece) => piece.t ?? -Infinity),
  );
  const inside = changes.filter((t) => t > window.start && t < window.end);
  const curved = lines.some((pieces) => pieces.some((piece) => piece.den));
  const long = window.end - window.start;
  const grid = curved ? Array.from({ length: 200 }, (_, i) => window.start + (long * i) / 200) : [];
  return [...new Set([window.start, ...inside, ...grid, window.end])].sort((a, b) => a - b);
}

/** The value just before an instant. */
function before(pieces: readonly Piece[], t: number): number | null {
  const place = indexAtOrFirst(pieces, t);
  const piece = pieces[place]?.t === t ? pieces[place - 1] : pieces[place];
  const value = piece === undefined ? null : valueAt(piece, t);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export interface Layer {
  readonly key: string;
  readonly line: readonly Vertex[];
}

/** Each group's line upon those below it; a group that is unknown adds nothing. */
export function stackOf(
  groups: readonly { key: string; pieces: readonly Piece[] }[],
  window: Window,
): Layer[] {
  const times = instants(
    groups.map((group) => group.pieces),
    window,
  );
  let below = times.map(() => [0, 0] as [number, number]);
  return groups.map(({ key, pieces }) => {
    below = times.map((t, i) => {
      const [left, right] = below[i] ?? [0, 0];
      return [left + (before(pieces, t) ?? 0), right + (numberAt(pieces, t) ?? 0)];
    });
    const line = times.flatMap((x, i) => {
      const [left, right] = below[i] ?? [0, 0];
      const jumps = i > 0 && i < times.length - 1 && left !== right;
      return jumps
        ? [
            { x, y: left },
            { x, y: right },
          ]
        : [{ x, y: i === 0 ? right : left }];
    });
    return { key, line };
  });
}

/** The least and the greatest value of lines. */
export function extentOf(lines: readonly (readonly Vertex[])[]): [number, number] | null {
  let [low, high] = [Infinity, -Infinity];
  for (const line of lines)
    for (const { y } of line) {
      if (y === null) continue;
      low = Math.min(low, y);
      high = Math.max(high, y);
    }
  return low > high ? null : [low, high];
}

/**
 * A round scale around the values; `held` is kept while it fits well, so that it does not jump about. Of no values there is
 * none.
 */
export function scaleOf(
  extent: [number, number] | null,
  held: [number, number] | null,
): [number, number] | null {
  if (extent === null) return null;
  const [low, high] = extent;
  if (held && low >= held[0] && high <= held[1] && high - low > (held[1] - held[0]) * 0.45) return held;
  const from = low >= 0 && low < high * 0.5 ? 0 : low;
  const room = high === from ? Math.abs(high) || 1 : high - from;
  const step = roundStep(Math.max(room, Math.abs(high) * 1e-6, 1e-9) / 4);
  const bottom = Math.floor(from / step) * step;
  const top = Math.ceil(high / step) * step;
  return [bottom, top === bottom ? bottom + step : top];
}

/** Where a scale begins and ends by choice; null: where the values need it. */
export interface ScaleBounds {
  readonly low: number | null;
  readonly high: number | null;
}

export const UNBOUNDED: ScaleBounds = { low: null, high: null };

/** A scale with the bounds that were chosen; a bound beyond the other end of the scale moves that end. */
export function boundScale(
  scale: [number, number] | null,
  { low, high }: ScaleBounds,
): [number, number] | null {
  if (scale === null) return null;
  const [from, to] = [low ?? scale[0], high ?? scale[1]];
  if (from < to) return [from, to];
  const room = scale[1] - scale[0];
  return low === null ? [to - room, to] : [from, from + room];
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 2.5, 5].find((one) => one * power >= rough) ?? 10) * power;
}
