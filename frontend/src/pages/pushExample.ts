import type { FieldType, Stream, TimeUnit } from "../api/types";

const SAMPLES: Readonly<Record<FieldType, string | number | boolean>> = {
  text: "play",
  number: 1.5,
  bool: true,
};

function timeSample(unit: TimeUnit, now: Date): string | number {
  const ms = now.getTime();
  const times = { s: Math.floor(ms / 1000), ms, us: ms * 1000, iso8601: now.toISOString() };
  return times[unit];
}

/** An event as the stream declares it. */
export function sampleEvent(stream: Stream, now: Date): Record<string, string | number | boolean> {
  const fields = Object.entries(stream.fields).map(([name, type]) => [name, SAMPLES[type]]);
  return {
    [stream.key]: "k1",
    [stream.time]: timeSample(stream.unit, now),
    ...Object.fromEntries(fields),
    ...(stream.id === null || stream.fields[stream.id] === "number" ? {} : { [stream.id]: "e1" }),
  };
}

/** A command that pushes one event; single quotes in names are kept whole for the shell. */
export function pushCommand(stream: Stream, origin: string, token: string, now: Date): string {
  const body = JSON.stringify(sampleEvent(stream, now)).replaceAll("'", `'\\''`);
  return [
    `curl -X POST '${origin}/api/streams/${encodeURIComponent(stream.name)}/events/'`,
    `-H 'Authorization: Token ${token}'`,
    `-H 'Content-Type: application/x-ndjson'`,
    `--data-binary '${body}'`,
  ].join(" \\\n  ");
}
