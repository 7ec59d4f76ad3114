/** Looking closer at a node: what was known then, when it became known, its keys by what they say. */
import { call } from "./client";
import type { History, States, Then } from "./looking";

const address = (digest: string, what: string, query: Record<string, string>): string =>
  `/api/nodes/${encodeURIComponent(digest)}/${what}/?${new URLSearchParams(query)}`;

export interface ThenQuestion {
  knownAt: number;
  from: number;
  to: number;
  points: number;
}

export function knownThen(digest: string, key: string, asked: ThenQuestion): Promise<Then> {
  const [from, to, points] = [String(asked.from), String(asked.to), String(asked.points)];
  const query = { key, known_at: String(asked.knownAt), from, to, points };
  return call<Then>("GET", address(digest, "difference", query));
}

export function history(digest: string, key: string): Promise<History> {
  return call<History>("GET", address(digest, "revisions", { key, limit: "200" }));
}

export function states(digest: string, query: Record<string, string>): Promise<States> {
  return call<States>("GET", address(digest, "states", query));
}
