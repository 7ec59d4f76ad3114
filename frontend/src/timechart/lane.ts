/** One lane: a node's timeline of one key as the messages of its subscription tell it. Pure. */
import type { Behind, Kind, LeftOut, RevisionMessage, WirePoint } from "../core/api/types";
import type { TimelineMessage } from "../core/socket/connection";
import { computeKnownUntil } from "../core/socket/freshness";
import { applyRevision, findCorrection, parsePieces, normalise, type Piece, type Stretch } from "./pieces";

export interface Correction extends Stretch {
  /** Wall clock, microseconds. */
  readonly at: number;
  /** How many spans there are more (or less) than before. */
  readonly spans: number;
}

export interface Lane {
  readonly kind: Kind | null;
  readonly pieces: readonly Piece[];
  /** Where change points are left out, in order; elsewhere the pieces are all there are. */
  readonly leftOut: readonly LeftOut[];
  readonly birth: number | null;
  /** Where it begins because there is more than a page gets; null: it is all there. */
  readonly cutAt: number | null;
  readonly seq: number;
  readonly version: number;
  readonly finalUntil: number | null;
  /** The newest event that its node has seen. */
  readonly newestEvent: number | null;
  readonly asOf: number | null;
  /** When its node ceased to be computed, by the wall clock; null while it goes on. */
  readonly stoppedAt: number | null;
  /** Where more has come than its node has seen: until when it has, and why. */
  readonly behind: Behind | null;
  readonly corrections: readonly Correction[];
  readonly error: string | null;
  /** What its node would say of the newest events: it is not computed by Spark yet. */
  readonly preview: boolean;
}

export const EMPTY: Lane = {
  kind: null,
  pieces: [],
  leftOut: [],
  birth: null,
  cutAt: null,
  seq: -1,
  version: -1,
  finalUntil: null,
  newestEvent: null,
  asOf: null,
  stoppedAt: null,
  behind: null,
  corrections: [],
  error: null,
  preview: false,
};

/** A ratio of two numbers is drawn and read as a number. */
export const drawnKind = (kind: Kind): Exclude<Kind, "ratio"> => (kind === "ratio" ? "number" : kind);

function advanced(lane: Lane, pieces: readonly Piece[], corrected: Stretch | null, now: number): Lane {
  if (!corrected) return { ...lane, pieces };
  const spans = within(pieces, corrected) - within(lane.pieces, corrected);
  return { ...lane, pieces, corrections: [...lane.corrections, { ...corrected, at: now, spans }] };
}

/** How many spans begin in a stretch, or at its end: there a span began that may now be a part of the one before. */
function within(pieces: readonly Piece[], { start, end }: Stretch): number {
  return pieces.filter(({ t }) => (t ?? -Infinity) >= (start ?? -Infinity) && (t ?? 0) <= (end ?? Infinity))
    .length;
}

/** Where a lane is thinned, what was corrected is what the server says has changed, as far as it had come to pass. */
function corrected(lane: Lane, pieces: readonly Piece[], message: RevisionMessage, now: number) {
  const thinned = lane.leftOut.length > 0 || (message.left_out ?? []).length > 0;
  if (!thinned || !message.changed) return findCorrection(lane.pieces, pieces, now);
  const last = lane.pieces.findLast(({ t }) => t !== null && t <= now)?.t ?? -Infinity;
  const [start, end] = message.changed;
  return (start ?? -Infinity) < last ? { start, end: Math.min(end ?? Infinity, last) } : null;
}

/** What is left out after a revision, which tells all of it between its ends. */
export function leftOutAfter(held: readonly LeftOut[], message: RevisionMessage): readonly LeftOut[] {
  const { start, end, left_out: told = [] } = message;
  if (held.length === 0 && told.length === 0) return held;
  const outside = held.filter((one) => one.from < (start ?? -Infinity) || one.to > (end ?? Infinity));
  return [...outside, ...told].sort((a, b) => a.from - b.from);
}

function revised(lane: Lane, message: RevisionMessage, now: number): Lane {
  const { start, end } = message;
  const pieces = applyRevision(lane.pieces, { start, end, pieces: parsePieces(message.pieces) });
  const leftOut = leftOutAfter(lane.leftOut, message);
  return { ...advanced(lane, pieces, corrected(lane, pieces, message, now), now), leftOut };
}

function next(lane: Lane, message: Exclude<TimelineMessage, { type: "error" }>, now: number): Lane {
  const { final_until: finalUntil, newest_event: newestEvent = null, as_of: asOf } = message;
  const { stopped_at: stoppedAt = null, behind = null } = message;
  const standing = { finalUntil, newestEvent, asOf, stoppedAt, behind, error: null };
  if (message.type === "progress") return { ...lane, ...standing };
  const { seq, version } = message;
  if (message.type === "revision") return { ...revised(lane, message, now), seq, version, ...standing };
  const pieces = normalise(parsePieces(message.points));
  const leftOut = message.left_out ?? [];
  // Two snapshots of one timeline differ where they are thinned differently.
  const thinned = lane.leftOut.length > 0 || leftOut.length > 0;
  const changed = thinned ? null : findCorrection(lane.pieces, pieces, now);
  const kind = drawnKind(message.kind);
  const birth = message.birth ?? null;
  const cutAt = message.truncated ? (message.start ?? null) : null;
  return { ...advanced(lane, pieces, changed, now), leftOut, birth, cutAt, kind, seq, version, ...standing };
}

/** The lane after a message that came at wall clock `now` (microseconds). */
export function applyMessage(lane: Lane, message: TimelineMessage, now: number): Lane {
  // Of a node that may not be seen (any more) nothing stays.
  if (message.type === "error" && message.code === "unknown_node")
    return { ...EMPTY, error: message.message };
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

type Lines = readonly Pick<Lane, "pieces">[];

/**
 * The newest time that a node tells of by its lines, at most the wall clock for change points that are expected, and
 * for events where the clocks of those who send them differ: only what is final says that it is ahead.
 */
export function findNewestTime(
  { finalUntil, newestEvent }: Pick<Lane, "finalUntil" | "newestEvent">,
  lines: Lines,
  wall: number,
): number {
  const final = finalUntil ?? -Infinity;
  const seen = newestEvent ?? -Infinity;
  const lasts = lines.map(
    ({ pieces }) => pieces.findLast(({ t }) => t !== null && t <= wall)?.t ?? -Infinity,
  );
  return Math.max(final, final > wall ? seen : Math.min(seen, wall), ...lasts);
}

const newestOf = (lane: Lane, wall: number): number => findNewestTime(lane, [lane], wall);

/** The newest event that any of their nodes has seen. */
export function newestEventOf(all: readonly Pick<Lane, "newestEvent">[]): number | null {
  const times = all.flatMap(({ newestEvent }) => newestEvent ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

/** The newest time that any lane tells of. */
function frontier(lanes: readonly Lane[], wall: number): number | null {
  const newest = Math.max(-Infinity, ...lanes.map((lane) => newestOf(lane, wall)));
  return newest === -Infinity ? null : newest;
}

/** Until when anything is known of a lane. */
export function knownUntil(lane: Lane, now: number): number {
  return computeKnownUntil(lane, (wall) => newestOf(lane, wall), now);
}

/** Whether anything was told of it yet. */
export const hasData = ({ pieces, finalUntil }: Lane): boolean => pieces.length > 0 || finalUntil !== null;

/** So much of a lane as the window is reckoned from: its first change and its newest. */
export function keepBounds(lane: Lane, wall: number): Lane {
  const { kind, pieces, finalUntil, newestEvent, stoppedAt, behind } = lane;
  const first = pieces.find(({ t }) => t !== null);
  const newest = pieces.findLast(({ t }) => t !== null && t <= wall);
  const kept = [first, newest === first ? undefined : newest].filter((piece) => piece !== undefined);
  return { ...EMPTY, kind, finalUntil, newestEvent, stoppedAt, behind, pieces: kept };
}

/** What nothing goes on of any more: when the last of it stopped; null while something does. */
export function findLastStop(all: readonly Pick<Lane, "stoppedAt">[]): number | null {
  const stops = all.map(({ stoppedAt }) => stoppedAt);
  return stops.length === 0 || stops.includes(null) ? null : Math.max(...(stops as number[]));
}

export interface Edge {
  readonly now: number;
  readonly follows: "clock" | "events";
  /** When all of it stopped, by the wall clock; null while something goes on. */
  readonly stopped: number | null;
}

/** The wall clock, or the newest event where events are far behind it (or ahead of it). */
export function clampToNewest(newest: number | null, wall: number): Omit<Edge, "stopped"> {
  const far = newest !== null && (newest > wall || wall - newest > BEHIND);
  return far ? { now: newest, follows: "events" } : { now: wall, follows: "clock" };
}

/** The right edge: now; of what has stopped, when it did. */
export function findRightEdge(lanes: readonly Lane[], wall: number): Edge {
  const stopped = findLastStop(lanes);
  const reach = Math.min(wall, stopped ?? wall);
  return { ...clampToNewest(frontier(lanes, reach), reach), stopped };
}

/** Whether a window shows anything of which something is left out. */
export function isThinned({ leftOut }: Lane, { start, end }: { start: number; end: number }): boolean {
  return leftOut.some((one) => one.from < end && one.to > start);
}

export function findFirstChange(lanes: readonly Lane[]): number | null {
  const times = lanes.flatMap(({ pieces }) => pieces.find(({ t }) => t !== null)?.t ?? []);
  return times.length === 0 ? null : Math.min(...times);
}
