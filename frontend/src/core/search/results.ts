/** What a search over everything found, by kind, and where each thing is. */
import type { Wire } from "../api/wire";
import { tone, type Tone } from "../ui/tone";
import { has, termsOf, removeTerm } from "./language";

export type SearchResult = Wire<"Found">;
export type SearchAnswer = Wire<"Search">;

export interface Group {
  kind: SearchResult["kind"];
  title: string;
  found: readonly SearchResult[];
  /** The list of all of this kind that fit, where there are more. */
  all: string | null;
}

const TITLES: readonly [kind: SearchResult["kind"], title: string, list: string][] = [
  ["plan", "Plans", "/"],
  ["node", "Nodes", "/nodes/"],
  ["stream", "Streams", "/streams/"],
  ["dashboard", "Dashboards", "/dashboards/"],
  ["alert", "Alerts", "/alerts/"],
  ["incident", "Incidents", "/incidents/"],
];

const ADDRESSES: Readonly<Record<SearchResult["kind"], string>> = {
  plan: "/plans/",
  node: "/nodes/",
  stream: "/streams/",
  dashboard: "/dashboards/",
  alert: "/alerts/",
  incident: "/incidents/",
};

export const addressOf = ({ kind, id }: Pick<SearchResult, "kind" | "id">): string =>
  `${ADDRESSES[kind]}${encodeURIComponent(id)}/`;

export function listAddress(list: string, text: string): string {
  return text.trim() === "" ? list : `${list}?${new URLSearchParams({ q: text.trim() })}`;
}

export function groupsOf({ results, more }: Pick<SearchAnswer, "results" | "more">, text: string): Group[] {
  return TITLES.map(([kind, title, list]) => ({
    kind,
    title,
    found: results.filter((result) => result.kind === kind),
    all: more.includes(kind) ? listAddress(list, text) : null,
  })).filter(({ found }) => found.length > 0);
}

/** How good or bad it is, as the dot says; null where that says nothing. */
export const toneOf = ({ state }: Pick<SearchResult, "state">): Tone | null =>
  state === "" ? null : tone(state);

/** 3 plans, 1 node found; and more of the plans. */
export function formatCounts(groups: readonly Group[]): string {
  if (groups.length === 0) return "No results";
  const parts = groups.map(({ kind, found, all }) => {
    const many = found.length;
    return `${all === null ? "" : "more than "}${many} ${kind}${many === 1 && all === null ? "" : "s"}`;
  });
  return parts.join(", ");
}

/** The same with a word less, where nothing was found; the last words first. */
export function lessOf(text: string): { text: string; word: string }[] {
  const terms = termsOf(text);
  if (terms.length < 2) return [];
  return terms
    .toReversed()
    .slice(0, 3)
    .map((term) => ({ text: removeTerm(text, term), word: text.slice(term.start, term.end) }))
    .filter((less) => !has(less.text, less.word));
}
