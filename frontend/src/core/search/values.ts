/** The values that the server knows for a field of a search. */
import { api, read, type ListPage } from "../api/client";
import type { Operator } from "../api/types";
import type { Person, Team } from "../sharing/calls";
import type { SearchAnswer } from "./results";
import { asNames } from "./language";
import type { Value, ValuesRequest } from "./proposals";

const FEW = 8;
let operators: Promise<Operator[]> | null = null;

/** They are the same as long as the server runs. */
export function allOperators(): Promise<Operator[]> {
  operators ??= api.operators().catch((error: unknown) => {
    operators = null;
    throw error;
  });
  return operators;
}

async function holders(part: string, signal: AbortSignal, persons: boolean): Promise<Value[]> {
  const query = `?${new URLSearchParams({ search: part, limit: String(FEW) })}`;
  const [teams, people] = await Promise.all([
    read<ListPage<Team>>(`/api/teams/${query}`, signal),
    persons ? read<ListPage<Person>>(`/api/people/${query}`, signal) : null,
  ]);
  return [
    ...teams.results.map(({ name }) => ({ value: name, words: "team" })),
    ...(people?.results ?? []).map(({ name }) => ({ value: name, words: "person" })),
  ];
}

async function named(part: string, signal: AbortSignal, kind: string): Promise<Value[]> {
  const wanted = { q: asNames(part), limit: String(FEW), ...(kind === "" ? {} : { kind }) };
  const { results } = await read<SearchAnswer>(`/api/search/?${new URLSearchParams(wanted)}`, signal);
  const told = results
    .filter((result) => result.kind !== "dashboard")
    .map(({ name, kind: of }) => ({ value: name, words: of }));
  return told.filter(({ value }, i) => told.findIndex((one) => one.value === value) === i);
}

export async function valuesOf({ field, part }: ValuesRequest, signal: AbortSignal): Promise<Value[]> {
  switch (field) {
    case "owner":
      return holders(part, signal, true);
    case "team":
      return holders(part, signal, false);
    case "op":
      return (await allOperators()).map(({ name, title }) => ({ value: name, words: title }));
    case "stream":
      return named(part, signal, "stream");
    default:
      return named(part, signal, "");
  }
}
