/** What becomes of a sample, in words that add up. Pure. */
import type { Guessed } from "../core/api/streams";

const FORMATS: Readonly<Record<Guessed["format"], [words: string, one: string, many: string]>> = {
  json_lines: ["JSON lines", "line", "lines"],
  json_array: ["a JSON array", "entry", "entries"],
  csv: ["CSV", "row", "rows"],
  parquet: ["Parquet", "row", "rows"],
  arrow: ["Arrow", "row", "rows"],
  arrow_stream: ["an Arrow stream", "row", "rows"],
  avro: ["Avro", "row", "rows"],
};
const count = (n: number): string => n.toLocaleString("en");

/** How much there is and as what it is read; then how much of what was looked at can be taken, and how much cannot. */
export function describeSample({ rows, looked_at, refused, format, why }: Guessed): string {
  const [words, one, many] = FORMATS[format];
  const all = `${count(rows)} ${rows === 1 ? one : many}, read as ${words}: ${why}.`;
  if (looked_at === 0) return all;
  const first = looked_at < rows ? `Of the first ${count(looked_at)}, ` : "";
  const taken = Math.max(0, looked_at - refused);
  const validity =
    refused === 0
      ? `all are valid`
      : `${taken === 0 ? "none" : count(taken)} valid, ${count(refused)} would be rejected`;
  const sentence = `${first}${validity}.`;
  return `${all} ${sentence[0]?.toUpperCase() ?? ""}${sentence.slice(1)}`;
}

/** How many would be refused, above the list of them. */
export function describeRejectedRows({ refused, format }: Pick<Guessed, "refused" | "format">): string {
  const [, one, many] = FORMATS[format];
  return refused === 1 ? `1 ${one} would be rejected:` : `${count(refused)} ${many} would be rejected:`;
}
