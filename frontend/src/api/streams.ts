/** The calls about streams, and their wire types. Times are integer microseconds (UTC) unless said otherwise. */
import { call, send } from "./client";
import type { FieldType, NodeUser, Stream, StreamDeclaration } from "./types";

/** When the events of a key happened, and how far behind the greatest time before them they came. */
export interface Ticks {
  /** `late` is null where there was no time to find out. */
  events: { t: number; late: number | null }[];
  /** False: there are more, or there was no time to look into all files. */
  complete: boolean;
  allowed_lateness: number;
  /** What came later than that was too late. */
  retention: number;
}

/** What of a declaration a person has said; the rest is guessed. */
export type Said = Partial<Omit<StreamDeclaration, "name">>;

export type Role = "key" | "time" | "unit" | "id" | "allowed_lateness" | "retention";

export interface Guess {
  what: Role;
  value: string | null;
  confidence: number;
  why: string;
  alternatives: { value: string; why: string }[];
}

export interface FieldGuess {
  name: string;
  type: FieldType;
  confidence: number;
  why: string;
  alternatives: FieldType[];
  values: string[];
}

export interface EventRow {
  line?: number;
  key: string;
  time: number;
  id: string | null;
  values: Record<string, string>;
}

export interface RefusedLine {
  line: number;
  field: string | null;
  code: string;
  message: string;
  text: string;
}

export interface Quantiles {
  p50: number;
  p90: number;
  p99: number;
  p999: number;
  max: number;
}

export interface SampleLateness {
  events: number;
  unordered: number;
  quantiles: Quantiles;
  newest_first: boolean;
  proposal: string;
  confidence: number;
  words: string;
}

export interface Guessed {
  format: "json_lines" | "json_array" | "csv" | "parquet";
  why: string;
  rows: number;
  looked_at: number;
  declaration: Omit<StreamDeclaration, "name" | "key" | "time"> & { key: string | null; time: string | null };
  guesses: Guess[];
  fields: FieldGuess[];
  read: EventRow[];
  refused: number;
  refused_lines: RefusedLine[];
  lateness: SampleLateness | null;
}

export interface Tick {
  /** When these ten seconds begin, seconds since the epoch. */
  at: number;
  events: number;
  late: number;
  too_late: number;
  refused: number;
}

export interface ReadingNode {
  digest: string;
  operator: string;
  users: NodeUser[];
  observed: string;
  words: string;
  lag: number;
  counters: { events: number; late: number; too_late: number; duplicates: number; conflicts: number };
}

export interface Activity {
  now: number;
  step: number;
  series: Tick[];
  totals: { events: number; late: number; too_late: number; refused: number };
  lateness: { events: number; unordered: number; quantiles: Quantiles; proposal: string | null } | null;
  plans: { id: number; name: string; owner: string; running: boolean }[];
  nodes: ReadingNode[];
}

export type AsideKind = "refused" | "too_late";

export interface AsideLine {
  id: number;
  kind: AsideKind;
  at: number;
  sender: string | null;
  line: number | null;
  field: string;
  code: string;
  message: string;
  text: string;
  whole: boolean;
}

export interface Redeclaring {
  changes: { what: string; before: string | null; after: string | null; words: string; possible: boolean }[];
  possible: boolean;
  plans: { id: number; name: string; owner: string }[];
}

export interface Pushed {
  taken: number;
  batch: number;
  left_out: number;
}

const BYTES = { "Content-Type": "application/octet-stream" };
const at = (name: string, rest = ""): string => `/api/streams/${encodeURIComponent(name)}/${rest}`;

export const streamApi = {
  guess: (sample: Blob, said: Said) =>
    send<Guessed>(
      "POST",
      `/api/guess/?${new URLSearchParams({ declaration: JSON.stringify(said) })}`,
      BYTES,
      sample,
    ),
  push: (name: string, sample: Blob, leaveOut: boolean, key: string) =>
    send<Pushed>(
      "POST",
      at(name, leaveOut ? "sample/?refused=leave_out" : "sample/"),
      { ...BYTES, "Idempotency-Key": key },
      sample,
    ),
  stream: (name: string) => call<Stream>("GET", at(name)),
  declare: (declaration: StreamDeclaration) => call<Stream>("POST", "/api/streams/", declaration),
  redeclare: (declaration: StreamDeclaration) => call<Stream>("PUT", at(declaration.name), declaration),
  consequences: (declaration: StreamDeclaration) =>
    call<Redeclaring>("POST", at(declaration.name, "consequences/"), declaration),
  remove: (name: string) => call<null>("DELETE", at(name)),
  activity: (name: string) => call<Activity>("GET", at(name, "activity/")),
  newest: (name: string) => call<EventRow[]>("GET", at(name, "events/?limit=20")),
  ticks: (name: string, key: string, from: number, to: number) =>
    call<Ticks>("GET", at(name, `ticks/?${new URLSearchParams({ key, from: `${from}`, to: `${to}` })}`)),
  aside: (name: string, kind: AsideKind) =>
    call<AsideLine[]>("GET", at(name, `aside/?kind=${kind}&limit=1000`)),
  clearAside: (name: string, kind: AsideKind) =>
    call<{ cleared: number }>("DELETE", at(name, `aside/?kind=${kind}`)),
  again: (name: string, lines: { id: number; text?: string }[]) =>
    call<{ taken: number; refused: AsideLine[] }>("POST", at(name, "aside/again/"), { lines }),
};
