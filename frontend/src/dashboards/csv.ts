/** What a chart shows, as CSV: a row for each stretch of a key. Pure. */
import type { Scalar } from "../core/api/types";
import { csvLines } from "../timechart/csvCells";
import type { KeyRow } from "../timechart/keyRows";
import { indexAtOrFirst, valueAt } from "../timechart/pieces";
import type { Window } from "../timechart/window";

const HEAD = ["key", "from", "to", "value", "value_at_end", "changes_left_out"];

type Line = readonly (Scalar | null)[];

const timeOf = (us: number): string => new Date(Math.round(us / 1000)).toISOString();

/** Of one key; nothing is told of what is not known yet, and an unknown value is an empty cell. */
function linesOf({ key, birth, pieces, leftOut }: KeyRow, { start, end }: Window): Line[] {
  const begun = Math.max(start, birth);
  const seen = pieces.slice(indexAtOrFirst(pieces, begun)).map((piece, i, all) => {
    const from = Math.max(piece.t ?? begun, begun);
    return { piece, from, to: Math.min(all[i + 1]?.t ?? end, end) };
  });
  const lines = seen
    .filter(({ from, to }) => from < to && !leftOut.some((one) => one.from <= from && from < one.to))
    .map(({ piece, from, to }): [number, Line] => {
      const [value, last] = [valueAt(piece, from), valueAt(piece, to)];
      return [from, [key, timeOf(from), timeOf(to), value, last, ""]];
    });
  const gaps = leftOut
    .filter((one) => one.from < end && one.to > begun)
    .map((one): [number, Line] => [
      one.from,
      [key, timeOf(one.from), timeOf(one.to), "", "", String(one.changes)],
    ]);
  return [...lines, ...gaps].sort(([a], [b]) => a - b).map(([, line]) => line);
}

export function formatCsv(rows: readonly KeyRow[], window: Window): string {
  return csvLines([HEAD, ...rows.flatMap((row) => linesOf(row, window))]);
}
