/** One lane: a node's timeline of one key as the messages of its subscription tell it. Pure. */
import type { Kind, WirePoint } from "../api/types";
import type { TimelineMessage } from "../live/connection";
import { applyRevision, correction, fromWire, normalise, type Piece, type Stretch } from "./fold";

export interface Correction extends Stretch {
  /** Wall clock, microseconds. */
  readonly at: number;
}

export interface Lane {
  readonly kind: Kind | null;
  readonly pieces: readonly Piece[];
  readonly seq: number;
  readonly version: number;
  readonly finalUntil: number | null;
  readonly asOf: number | null;
  readonly corrections: readonly Correction[];
  readonly error: string | null;
}

export const EMPTY: Lane = {
  kind: null,
  pieces: [],
  seq: -1,
  version: -1,
  finalUntil: null,
  asOf: null,
  corrections: [],
  error: null,
};

function advanced(lane: Lane, pieces: readonly Piece[], now: number): Lane {
  const corrected = correction(lane.pieces, pieces, now);
  const corrections = corrected ? [...lane.corrections, { ...corrected, at: now }] : lane.corrections;
  return { ...lane, pieces, corrections };
}

function next(lane: Lane, message: Exclude<TimelineMessage, { type: "error" }>, now: number): Lane {
  const standing = { finalUntil: message.final_until, asOf: message.as_of, error: null };
  if (message.type === "progress") return { ...lane, ...standing };
  if (message.type === "snapshot") {
    const { kind, seq, version } = message;
    // A ratio of two numbers is drawn and read as a number.
    return {
      ...advanced(lane, normalise(fromWire(message.points)), now),
      kind: kind === "ratio" ? "number" : kind,
      seq,
      version,
      ...standing,
    };
  }
  const { start, end, seq, version } = message;
  const pieces = applyRevision(lane.pieces, { start, end, pieces: fromWire(message.pieces) });
  return { ...advanced(lane, pieces, now), seq, version, ...standing };
}

/** The lane after a message that came at wall clock `now` (microseconds). */
export function receive(lane: Lane, message: TimelineMessage, now: number): Lane {
  if (message.type === "error") return { ...lane, error: message.message };
  return next(lane, message, now);
}

export function toWire(lane: Lane): WirePoint[] {
  return lane.pieces.map(({ t, value, slope, den }) => {
    if (den && typeof value === "number") return [t, value, slope, den.value, den.slope];
    return lane.kind === "number" ? [t, value, slope] : [t, value];
  });
}

const BEHIND = 15 * 60 * 1_000_000;

/** The newest event time that any lane tells of, at most the wall clock for change points that are expected. */
function frontier(lanes: readonly Lane[], wall: number): number | null {
  const times = lanes.flatMap(({ finalUntil, pieces }) => [
    finalUntil ?? -Infinity,
    pieces.findLast((piece) => piece.t !== null && piece.t <= wall)?.t ?? -Infinity,
  ]);
  const newest = Math.max(-Infinity, ...times);
  return newest === -Infinity ? null : newest;
}

/** The right edge: the wall clock, or the newest event where events are far behind it (or ahead of it). */
export function edge(lanes: readonly Lane[], wall: number): { now: number; follows: "clock" | "events" } {
  const newest = frontier(lanes, wall);
  const far = newest !== null && (newest > wall || wall - newest > BEHIND);
  return far ? { now: newest, follows: "events" } : { now: wall, follows: "clock" };
}

export function firstChange(lanes: readonly Lane[]): number | null {
  const times = lanes.flatMap((lane) => lane.pieces.find((piece) => piece.t !== null)?.t ?? []);
  return times.length === 0 ? null : Math.min(...times);
}
