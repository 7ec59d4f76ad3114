/** The calls about streams, and their wire types. Times are integer microseconds (UTC) unless said otherwise. */
import { call, list, fetchPage, send } from "./client";
import type { FieldType, Stream, StreamDeclaration } from "./types";
import type { Wire } from "./wire";

/** When the events of a key happened, and how far behind the greatest time before them they came. */
export type Ticks = Wire<"Ticks">;

/** What of a declaration a person has said; the rest is guessed. */
export type StatedDeclaration = Partial<Omit<StreamDeclaration, "name">>;

export type Guess = Wire<"Guess">;
export type Role = Guess["what"];
export type FieldGuess = Wire<"FieldGuess", { alternatives: FieldType[] }>;

/** An event that landed, or one that would be read from a line. */
export type EventRow = Wire<"Event"> & Partial<Pick<Wire<"ReadRow">, "line">>;
export type RefusedLine = Wire<"RefusedLine">;
export type Quantiles = Wire<"Quantiles">;
export type Guessed = Wire<
  "Guessed",
  {
    declaration: Omit<StreamDeclaration, "name" | "key" | "time"> & {
      key: string | null;
      time: string | null;
    };
    fields: FieldGuess[];
  }
>;
export type Tick = Wire<"Tick">;
export type ReadingNode = Wire<"ReadingNode">;
export type Activity = Wire<"Activity">;
/** What the newest events of a stream have. */
export type StreamValues = Wire<"StreamValues">;
export type RejectedEvent = Wire<"RejectedEvent">;
export type RejectedKind = RejectedEvent["kind"];
/** What emptying or deleting a stream would cause. */
export type Removal = Wire<"Removal">;
/** A deleted stream, or the events that one held before it was emptied. */
export type Trashed = Wire<"Trashed">;
export type Source = Wire<"Source">;
export type SourceKind = Wire<"SourceKind">;
export type TriedMessage = Wire<"TriedMessage">;
export type ComparedEvent = Wire<"ComparedEvent">;
export type MappingRule = Wire<"MappingRule">;

/** A rule of a field mapping as somebody writes it; the server says what is wrong with it. */
export type GivenRule = Partial<MappingRule>;

/** A source as somebody sets it; secrets that are left out stay as they are. */
export interface GivenSource {
  kind: string;
  options: Record<string, unknown>;
  mapping: readonly GivenRule[];
}
export type Redeclaring = Wire<"Redeclaring">;
export type Pushed = Wire<"SampleTaken">;

const BYTES = { "Content-Type": "application/octet-stream" };
const at = (name: string, rest = ""): string => `/api/streams/${encodeURIComponent(name)}/${rest}`;
const parameterOf = (mapping: readonly GivenRule[]): { mapping?: string } =>
  mapping.length > 0 ? { mapping: JSON.stringify(mapping) } : {};

export const streamApi = {
  guess: (sample: Blob, said: StatedDeclaration, mapping: readonly GivenRule[]) =>
    send<Guessed>(
      "POST",
      `/api/guess/?${new URLSearchParams({ declaration: JSON.stringify(said), ...parameterOf(mapping) })}`,
      BYTES,
      sample,
    ),
  push: (name: string, sample: Blob, mapping: readonly GivenRule[], leaveOut: boolean, key: string) =>
    send<Pushed>(
      "POST",
      at(
        name,
        `sample/?${new URLSearchParams({ ...(leaveOut && { refused: "leave_out" }), ...parameterOf(mapping) })}`,
      ),
      { ...BYTES, "Idempotency-Key": key },
      sample,
    ),
  stream: (name: string) => call<Stream>("GET", at(name)),
  declare: (declaration: StreamDeclaration) => call<Stream>("POST", "/api/streams/", declaration),
  redeclare: (declaration: StreamDeclaration) => call<Stream>("PUT", at(declaration.name), declaration),
  consequences: (declaration: StreamDeclaration) =>
    call<Redeclaring>("POST", at(declaration.name, "consequences/"), declaration),
  delete: (name: string, stop_plans: boolean) => call<null>("DELETE", at(name), { stop_plans }),
  empty: (name: string, stop_plans: boolean) => call<Stream>("POST", at(name, "empty/"), { stop_plans }),
  removal: (name: string) => call<Removal>("GET", at(name, "removal/")),
  trash: () => list<Trashed>("/api/trash/?limit=200"),
  restore: (id: number) => call<Stream>("POST", `/api/trash/${id}/restore/`, {}),
  activity: (name: string) => call<Activity>("GET", at(name, "activity/")),
  values: (name: string) => call<StreamValues>("GET", at(name, "values/")),
  newest: (name: string) => list<EventRow>(at(name, "events/?limit=20")),
  ticks: (name: string, key: string, from: number, to: number) =>
    call<Ticks>("GET", at(name, `ticks/?${new URLSearchParams({ key, from: `${from}`, to: `${to}` })}`)),
  rejected: (name: string, kind: RejectedKind) =>
    fetchPage<RejectedEvent>(at(name, `rejected/?kind=${kind}&limit=1000`)).then((page) => page.results),
  clearRejected: (name: string, kind: RejectedKind) =>
    call<{ cleared: number }>("DELETE", at(name, `rejected/?kind=${kind}`)),
  kindsOfSources: () => call<{ kinds: SourceKind[] }>("GET", "/api/source-kinds/").then((told) => told.kinds),
  feed: (name: string, source: GivenSource) => call<Source>("PUT", at(name, "source/"), source),
  tryToFeed: (name: string, source: GivenSource) =>
    call<{ messages: TriedMessage[] }>("POST", at(name, "source/check/"), source).then(
      (told) => told.messages,
    ),
  pauseSource: (name: string, paused: boolean) =>
    call<Source>("POST", at(name, paused ? "source/pause/" : "source/resume/"), {}),
  removeSource: (name: string) => call<null>("DELETE", at(name, "source/"), {}),
  again: (name: string, lines: { id: number; text?: string }[]) =>
    call<{ taken: number; refused: RejectedEvent[] }>("POST", at(name, "rejected/retry/"), { lines }),
};
