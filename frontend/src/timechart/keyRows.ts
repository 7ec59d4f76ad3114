/** Many keys of a node, a row for each: how long each said what, and in which order they stand. Pure. */
import type { LeftOut, Scalar } from "../core/api/types";
import type { KeyTimelines } from "../core/api/timelines";
import { parsePieces, type Piece } from "./pieces";
import { readingAt, buildSpans } from "./spans";
import { isInside, lengthOf } from "./view";
import type { Window } from "./window";

export interface KeyRow {
  readonly key: string;
  readonly birth: number;
  readonly pieces: readonly Piece[];
  readonly leftOut: readonly LeftOut[];
}

/** How long a row said a value in a window, and in how many stretches. */
export interface TimeInValue {
  readonly seconds: number;
  readonly stretches: number;
}

export const ORDERS = {
  changed: "last change",
  held: "time in the state",
  name: "name",
} as const;
export type Order = keyof typeof ORDERS;

const SECOND = 1_000_000;

export function rowsOf({ keys }: KeyTimelines): KeyRow[] {
  return keys.map(({ key, birth, points, left_out: leftOut }) => ({
    key,
    birth,
    pieces: parsePieces(points),
    leftOut,
  }));
}

/** The values that the rows say, the most frequent first; unknown is none. */
export function valuesOf(rows: readonly KeyRow[]): Scalar[] {
  const counts = new Map<Scalar, number>();
  for (const { pieces } of rows)
    for (const { value } of pieces) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
}

/** The state that is told: the one that was chosen, else true, else the most frequent one; of numbers none. */
export function selectState(values: readonly Scalar[], chosen: string | null): Scalar | null {
  const states = values.filter((value) => typeof value !== "number");
  return (
    states.find((state) => String(state) === chosen) ??
    states.find((state) => state === true) ??
    states[0] ??
    null
  );
}

export function measureState(
  { pieces, leftOut, birth }: KeyRow,
  value: Scalar,
  window: Window,
  now: number,
): TimeInValue {
  const since = { start: Math.max(window.start, Math.min(birth, window.end)), end: window.end };
  const own = buildSpans(pieces, since, now, null, leftOut, false).filter((span) => span.value === value);
  const seen = own.reduce((sum, { start, end }) => sum + (end - start) / SECOND, 0);
  const shares = leftOut.flatMap((one) => (one.shares ?? []).filter(([said]) => said === value));
  return {
    seconds: shares.reduce((sum, [, seconds]) => sum + seconds, seen),
    stretches: own.length + shares.length,
  };
}

const lastChange = ({ pieces, leftOut }: KeyRow, now: number): number =>
  Math.max(
    pieces.findLast(({ t }) => t !== null && t <= now)?.t ?? -Infinity,
    leftOut.at(-1)?.to ?? -Infinity,
  );

/** A number by which rows stand, the greatest first: of numbers what they are now, of states for how long they were so. */
export function weightOf(row: KeyRow, value: Scalar | null, window: Window, now: number): number {
  if (value !== null) return measureState(row, value, window, now).seconds;
  const scalar = readingAt(row.pieces, Math.min(now, window.end))?.value;
  return typeof scalar === "number" ? scalar : -Infinity;
}

export function sortRows(
  rows: readonly KeyRow[],
  order: Order,
  value: Scalar | null,
  window: Window,
  now: number,
): KeyRow[] {
  const byName = (a: KeyRow, b: KeyRow): number => a.key.localeCompare(b.key, "en", { numeric: true });
  if (order === "name") return [...rows].sort(byName);
  const weights = new Map(
    rows.map((row) => [row, order === "changed" ? lastChange(row, now) : weightOf(row, value, window, now)]),
  );
  const weight = (row: KeyRow): number => weights.get(row) ?? -Infinity;
  return [...rows].sort((a, b) => (weight(a) === weight(b) ? byName(a, b) : weight(b) > weight(a) ? 1 : -1));
}

export const MAX_KEY_ROWS = 1000;
/** A window that is so much smaller than what is held is asked for anew: it shows more. */
const CLOSE = 4;

/** Whether what is held shows all of a window, as closely as it can be shown. */
export const coversView = (asked: Window, window: Window): boolean =>
  isInside(window, asked) && lengthOf(asked) <= CLOSE * lengthOf(window);

/** What is shown now. */
export interface RowView {
  readonly window: Window;
  readonly now: number;
}

export const ROW_HEIGHT = 24;
const SPARE = 6;

/** Which of so many rows are drawn: those that are in sight, and a few around them. */
export function selectRowsInView(rows: number, top: number, height: number): { first: number; last: number } {
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE);
  return { first, last: Math.min(rows, Math.ceil((top + height) / ROW_HEIGHT) + SPARE) };
}
