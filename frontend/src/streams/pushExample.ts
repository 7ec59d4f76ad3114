import type { EventRow } from "../core/api/streams";
import type { FieldType, Stream } from "../core/api/types";
import { fieldsOfKey } from "./key";
import { formatTime } from "./timeFormat";

const SAMPLES: Readonly<Record<FieldType, string | number | boolean>> = {
  text: "some text",
  number: 1.5,
  bool: true,
};

function typed(value: string, type: FieldType): string | number | boolean {
  if (type === "number") return Number.isFinite(Number(value)) ? Number(value) : SAMPLES.number;
  return type === "bool" ? value === "true" : value;
}

function timeSample({ unit, zone }: Stream, now: Date): string | number {
  const ms = now.getTime();
  // A number of nanoseconds would be rounded by JavaScript.
  const times = {
    s: Math.floor(ms / 1000),
    ms,
    us: ms * 1000,
    ns: `${ms}000000`,
    iso8601: now.toISOString(),
  };
  return (
    new Map<string, string | number>(Object.entries(times)).get(unit) ?? formatTime(now, unit, zone ?? "UTC")
  );
}

/** Objects and lists come as their JSON text; what lies inside is named by path. */
const isNested = (value: string): boolean => /^[[{]/.test(value);

/** The fields of the key; of several, names and values are lists as JSON text. */
function keySample(names: string, key: string | undefined): Record<string, string | number> {
  if (!names.startsWith('["')) return { [names]: key ?? "k1" };
  const fields = JSON.parse(names) as string[];
  const values = key === undefined ? [] : (JSON.parse(key) as (string | number)[]);
  return Object.fromEntries(fields.map((name, place) => [name, values[place] ?? `k${place + 1}`]));
}

/** The time of now in its field; a date and a clock each in its own. */
function timeFields(stream: Stream, now: Date): Record<string, string | number> {
  const [first = "", ...others] = fieldsOfKey(stream.time);
  const time = timeSample(stream, now);
  if (others.length === 0) return { [first]: time };
  const [day = "", ...clock] = String(time).split(/[ T]/);
  const values = [day, ...clock.slice(0, others.length - 1), clock.slice(others.length - 1).join(" ")];
  return Object.fromEntries([first, ...others].map((name, place) => [name, values[place] ?? ""]));
}

/** An event as the stream declares it, with the values of one that came; its id is its own. */
export function sampleEvent(
  stream: Stream,
  now: Date,
  like: EventRow | null,
): Record<string, string | number | boolean> {
  const fields = Object.entries(stream.fields).map(([name, type]) => {
    const value = like?.values[name];
    return [name, value === undefined ? SAMPLES[type] : typed(value, type)];
  });
  const number = stream.id !== null && stream.fields[stream.id] === "number";
  return {
    ...Object.fromEntries(Object.entries(like?.values ?? {}).filter(([, value]) => !isNested(value))),
    ...Object.fromEntries(fields),
    ...keySample(stream.key, like?.key),
    ...timeFields(stream, now),
    ...(stream.id === null ? {} : { [stream.id]: number ? now.getTime() : `e${now.getTime()}` }),
  };
}

/** A command that pushes one event; single quotes in names are kept whole for the shell. */
export function pushCommand(
  stream: Stream,
  origin: string,
  token: string,
  now: Date,
  like: EventRow | null = null,
): string {
  const body = JSON.stringify(sampleEvent(stream, now, like)).replaceAll("'", `'\\''`);
  return [
    `curl -X POST '${origin}/api/streams/${encodeURIComponent(stream.name)}/events/'`,
    `-H 'Authorization: Token ${token}'`,
    `-H 'Content-Type: application/x-ndjson'`,
    `--data-binary '${body}'`,
  ].join(" \\\n  ");
}
