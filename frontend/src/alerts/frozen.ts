/** An incident as it was known at a moment of the wall clock, from its history. Times are microseconds. */
import { formatAddress, parseAddress } from "../core/time/parse";
import { microsOf } from "../core/time/format";
import type { IncidentWithHistory } from "./calls";

const PARAMETER = "known_at";

export const readKnownAt = (search: string): number | null =>
  parseAddress(new URLSearchParams(search).get(PARAMETER));

/** A link that always shows the same. */
export const frozenAddress = (incident: number, knownAt: number): string =>
  `/incidents/${incident}/?${new URLSearchParams({ [PARAMETER]: formatAddress(knownAt) })}`;

/** Null: nobody knew of it yet. */
export function incidentAsOf(incident: IncidentWithHistory, knownAt: number): IncidentWithHistory | null {
  const history = incident.history.filter((one) => one.known_at <= knownAt);
  const last = history.at(-1);
  if (last === undefined) return null;
  const { state, start, end } = last;
  const notes = incident.notes.filter((note) => microsOf(note.at) <= knownAt);
  return { ...incident, state, start, end, history, notes };
}
