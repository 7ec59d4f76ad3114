/** A declaration while it is written: what a person said, and what the sample says where they said nothing. */
import type { Guessed, Role, StatedDeclaration } from "../core/api/streams";
import type { FieldType, Stream, StreamDeclaration } from "../core/api/types";

export interface FieldRow {
  name: string;
  type: FieldType;
}

export interface Draft {
  name: string;
  key: string;
  time: string;
  unit: string;
  zone: string;
  id: string;
  allowed_lateness: string;
  retention: string;
  idle_after: string;
  until: string;
  allowed_ahead: string;
  encoding: string;
  fields: readonly FieldRow[];
}

export const EMPTY: Draft = {
  name: "",
  key: "",
  time: "",
  unit: "ms",
  zone: "",
  id: "",
  allowed_lateness: "30s",
  retention: "7d",
  idle_after: "",
  until: "",
  allowed_ahead: "1d",
  encoding: "",
  fields: [],
};

const rowsOf = (fields: Readonly<Record<string, FieldType>>): FieldRow[] =>
  Object.entries(fields).map(([name, type]) => ({ name, type }));

export function draftOf(stream: Stream): Draft {
  const { name, key, time, unit, allowed_lateness, retention, allowed_ahead, fields } = stream;
  const given = { name, key, time, unit, allowed_lateness, retention, allowed_ahead };
  const { zone, id, idle_after, until, encoding } = stream;
  const optional = { zone: zone ?? "", id: id ?? "", idle_after: idle_after ?? "", until: until ?? "" };
  return { ...given, ...optional, encoding: encoding ?? "", fields: rowsOf(fields) };
}

export type StatedPart = Role | "fields" | "idle_after" | "allowed_ahead" | "encoding";

/** The draft as the guess has it, but for what was said by hand. */
export function withGuess(draft: Draft, guessed: Guessed, said: ReadonlySet<StatedPart>): Draft {
  const { declaration } = guessed;
  const order = new Map(guessed.fields.map(({ name }, place) => [name, place]));
  const fields = rowsOf(declaration.fields).sort(
    (a, b) => (order.get(a.name) ?? Infinity) - (order.get(b.name) ?? Infinity),
  );
  const found: Draft = {
    ...draft,
    key: declaration.key ?? "",
    time: declaration.time ?? "",
    unit: declaration.unit,
    zone: declaration.zone ?? "",
    id: declaration.id ?? "",
    until: declaration.until ?? "",
    allowed_lateness: declaration.allowed_lateness,
    retention: declaration.retention,
    fields,
  };
  const kept = Object.fromEntries([...said].map((what) => [what, draft[what]])) as Partial<Draft>;
  return { ...found, ...kept };
}

/** What of a draft was said, as the server takes it. */
export function saidOf(draft: Draft, said: ReadonlySet<StatedPart>): StatedDeclaration {
  const declaration = declarationOf(draft);
  const entries = [...said].map((what) => [what, declaration[what]]);
  // An empty key or time is nothing that one could say.
  return Object.fromEntries(
    entries.filter(([what, value]) => value !== "" || what === "fields"),
  ) as StatedDeclaration;
}

export function declarationOf(draft: Draft): StreamDeclaration {
  const named = draft.fields.filter((row) => row.name.trim() !== "");
  const fields = Object.fromEntries(named.map((row) => [row.name.trim(), row.type]));
  const said = (text: string) => (text.trim() === "" ? null : text.trim());
  const zone = takesZone(draft.unit) ? said(draft.zone) : null;
  const optional = { id: said(draft.id), idle_after: said(draft.idle_after), until: said(draft.until), zone };
  return { ...draft, name: draft.name.trim(), ...optional, encoding: said(draft.encoding), fields };
}

/** Whether times of a unit may be local times; numbers count from 1970 in UTC. */
export const takesZone = (unit: string): boolean => !["s", "ms", "us", "ns"].includes(unit);

const SURE: readonly [least: number, words: string][] = [
  [0.85, "sure"],
  [0.6, "likely"],
  [0, "unsure"],
];

export function describeConfidence(confidence: number): string {
  return SURE.find(([least]) => confidence >= least)?.[1] ?? "unsure";
}
