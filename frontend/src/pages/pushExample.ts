import type { EventRow } from "../api/streams";
import type { FieldType, Stream } from "../api/types";
import { formatTime } from "../streams/timeFormat";

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
    ...like?.values,
    ...Object.fromEntries(fields),
    [stream.key]: like?.key ?? "k1",
    [stream.time]: timeSample(stream, now),
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
