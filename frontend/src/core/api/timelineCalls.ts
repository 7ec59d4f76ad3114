/** Looking closer at a node: what was known then, when it became known, its keys by what they say. */
import { call, toLocalAddress, read } from "./client";
import { isPublicPage } from "./publicLink";
import type { Funnel, History, KeyTimelines, States, AsOfTimeline, Timeline } from "./timelines";

const address = (digest: string, what: string, query: Record<string, string>): string =>
  `/api/${isPublicPage() ? "public/" : ""}nodes/${encodeURIComponent(digest)}/${what}/?${new URLSearchParams(query)}`;

export interface KnownAtQuestion {
  /** Null: as it is known now. */
  knownAt: number | null;
  from: number;
  to: number;
  points: number;
}

function toQuery(key: string, knownAtQuestion: KnownAtQuestion): Record<string, string> {
  const [from, to, points] = [
    String(knownAtQuestion.from),
    String(knownAtQuestion.to),
    String(knownAtQuestion.points),
  ];
  const question = { key, from, to, points };
  return knownAtQuestion.knownAt === null
    ? question
    : { ...question, known_at: String(knownAtQuestion.knownAt) };
}

export function fetchDifference(
  digest: string,
  key: string,
  knownAtQuestion: KnownAtQuestion,
): Promise<AsOfTimeline> {
  return call<AsOfTimeline>("GET", address(digest, "difference", toQuery(key, knownAtQuestion)));
}

/** The same without where it differs from now. */
export function fetchTimelineAsOf(
  digest: string,
  key: string,
  knownAtQuestion: KnownAtQuestion,
): Promise<Timeline> {
  return call<Timeline>("GET", address(digest, "timeline", toQuery(key, knownAtQuestion)));
}

export function fetchRevisions(digest: string, key: string): Promise<History> {
  return call<History>("GET", address(digest, "revisions", { key, limit: "200" }));
}

export function fetchStates(digest: string, query: Record<string, string>): Promise<States> {
  return call<States>("GET", address(digest, "states", query));
}

export interface KeyTimelinesQuestion {
  search: string;
  from: number;
  to: number;
  points: number;
  limit: number;
}

export function fetchKeyTimelines(
  digest: string,
  keyTimelinesQuestion: KeyTimelinesQuestion,
): Promise<KeyTimelines> {
  const query = Object.fromEntries(
    Object.entries(keyTimelinesQuestion).map(([name, value]) => [name, String(value)]),
  );
  return call<KeyTimelines>("GET", address(digest, "timelines", query));
}

/** Which runs of a sequence count, and the keys of which step are listed. */
export interface FunnelQuestion {
  from?: number | undefined;
  to?: number | undefined;
  count?: Funnel["count"] | undefined;
  step?: string | undefined;
}

export function fetchFunnel(
  digest: string,
  funnelQuestion: FunnelQuestion,
  signal?: AbortSignal,
): Promise<Funnel> {
  const said = Object.entries(funnelQuestion).filter(([, value]) => value !== undefined);
  const query = Object.fromEntries(said.map(([name, value]) => [name, String(value)]));
  return read<Funnel>(address(digest, "funnel", query), signal);
}

/** The next page of keys that stopped at a step. */
export const fetchNextFunnelPage = (next: string): Promise<Funnel> => read<Funnel>(toLocalAddress(next));
