/**
 * A timeline in the browser: pieces in order of time, the first since ever (`t` null), each holding from its `t`
 * (microseconds, inclusive) to the next one's (exclusive). A number climbs by `slope` per second from `value`.
 * Unknown is null. Normal form: no two neighbours say the same.
 */
import type { Scalar, WirePoint } from "../core/api/types";

export interface Piece {
  readonly t: number | null;
  readonly value: Scalar | null;
  readonly slope: number;
  /** Of a ratio, whose `value` and `slope` are those of the numerator. */
  readonly den?: Line;
}

interface Line {
  readonly value: number;
  readonly slope: number;
}

export interface Revision {
  readonly start: number | null;
  readonly end: number | null;
  readonly pieces: readonly Piece[];
}

export interface Stretch {
  readonly start: number | null;
  readonly end: number | null;
}

const NEARLY = 1e-9;
const SECOND = 1_000_000;

export function parsePieces(points: readonly WirePoint[]): Piece[] {
  return points.map(([t, value, slope, den, denSlope]) => ({
    t,
    value,
    slope: slope ?? 0,
    ...(den == null ? {} : { den: { value: den, slope: denSlope ?? 0 } }),
  }));
}

const at = (t: number | null): number => t ?? -Infinity;
const until = (t: number | null): number => t ?? Infinity;

/** The value that a piece has at `t`; a piece since ever does not climb. */
export function valueAt(piece: Piece, t: number): Scalar | null {
  if (typeof piece.value !== "number") return piece.value;
  const above = along({ value: piece.value, slope: piece.slope }, piece.t, t);
  return piece.den === undefined ? above : above / along(piece.den, piece.t, t);
}

function along(line: Line, since: number | null, t: number): number {
  return line.slope === 0 || since === null ? line.value : line.value + (line.slope * (t - since)) / SECOND;
}

/** The index of the piece that holds at `t`, or -1. */
export function indexAt(pieces: readonly Piece[], t: number): number {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(pieces[middle]?.t ?? null) <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The index of the piece that holds at `t`, or 0 if all begin later. */
export function indexAtOrFirst(pieces: readonly Piece[], t: number): number {
  return Math.max(0, indexAt(pieces, t));
}

/** The piece that holds at `t`. */
export function pieceAt(pieces: readonly Piece[], t: number): Piece | undefined {
  return pieces[indexAt(pieces, t)];
}

function nearly(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= NEARLY * Math.max(1, Math.abs(a), Math.abs(b));
}

/** Whether two pieces say the same from `t` on. */
function saysTheSame(a: Piece | undefined, b: Piece | undefined, t: number): boolean {
  if (a === undefined || b === undefined) return a === b;
  const [x, y] = [valueAt(a, t), valueAt(b, t)];
  if (typeof x === "number" && typeof y === "number")
    return nearly(x, y) && nearly(a.slope, b.slope) && nearly(a.den?.slope ?? 0, b.den?.slope ?? 0);
  return x === y;
}

export function normalise(pieces: readonly Piece[]): Piece[] {
  const kept: Piece[] = [];
  for (const piece of pieces) {
    const last = kept.at(-1);
    if (last === undefined || !saysTheSame(last, piece, at(piece.t))) kept.push(piece);
  }
  return kept;
}

function anchored(piece: Piece, t: number): Piece {
  if (piece.t === t || typeof piece.value !== "number") return { ...piece, t };
  const value = along({ value: piece.value, slope: piece.slope }, piece.t, t);
  const den = piece.den && { value: along(piece.den, piece.t, t), slope: piece.den.slope };
  return { t, value, slope: piece.slope, ...(den ? { den } : {}) };
}

function tail(pieces: readonly Piece[], end: number | null): Piece[] {
  if (end === null) return [];
  const open = pieceAt(pieces, end);
  const later = pieces.filter((piece) => at(piece.t) > end);
  return open === undefined ? later : [anchored(open, end), ...later];
}

/** The pieces of a revision inside its stretch, the first one beginning where the stretch begins. */
function inside({ start, end, pieces }: Revision): Piece[] {
  const within = pieces.filter((piece) => at(piece.t) >= at(start) && at(piece.t) < until(end));
  if (within[0] !== undefined && within[0].t === start) return within;
  const before = start === null ? undefined : pieceAt(pieces, start);
  return before === undefined || start === null ? within : [anchored(before, start), ...within];
}

/** The timeline after a revision; applying it again changes nothing. */
export function applyRevision(pieces: readonly Piece[], revision: Revision): Piece[] {
  const before = pieces.filter((piece) => at(piece.t) < at(revision.start));
  return normalise([...before, ...inside(revision), ...tail(pieces, revision.end)]);
}

/** The least stretch outside of which both timelines say the same, or null where they are equal. */
export function findDifference(before: readonly Piece[], after: readonly Piece[]): Stretch | null {
  const cuts = [...new Set([...before, ...after].map((piece) => at(piece.t)))].sort((a, b) => a - b);
  const differs = cuts.map((t) => !saysTheSame(pieceAt(before, t), pieceAt(after, t), t));
  const first = differs.indexOf(true);
  if (first < 0) return null;
  const next = cuts[differs.lastIndexOf(true) + 1];
  const start = cuts[first];
  return { start: start === undefined || start === -Infinity ? null : start, end: next ?? null };
}

/**
 * The stretch that a late event corrected: what changed before the last change point that had come to pass by
 * `now`. A timeline that only goes on has none.
 */
export function findCorrection(
  before: readonly Piece[],
  after: readonly Piece[],
  now: number,
): Stretch | null {
  const last = before.findLast((piece) => piece.t !== null && piece.t <= now)?.t ?? null;
  const changed = last === null ? null : findDifference(before, after);
  if (last === null || changed === null || at(changed.start) >= last) return null;
  return { start: changed.start, end: Math.min(until(changed.end), Math.max(last, at(changed.start))) };
}
