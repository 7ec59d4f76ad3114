/** What is said of tokens. */
import type { Scope, TokenRow } from "../core/api/client";

export const SCOPES: readonly [scope: Scope, title: string, words: string][] = [
  ["read", "Read", "everything that you may view"],
  ["write", "Write", "create and edit plans, streams and dashboards; includes Read"],
  ["events", "Push events", "push events only"],
  ["operate", "Operate", "run, stop and restart; includes Read"],
  ["admin", "Everything", "that you may do"],
];

export const LIFETIMES: readonly [days: number, words: string][] = [
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
  [365, "a year"],
];

export function formatScopes(scopes: readonly Scope[]): string {
  return SCOPES.filter(([scope]) => scopes.includes(scope))
    .map(([, title]) => title)
    .join(", ");
}

interface NewTokenChoice {
  name: string;
  scopes: readonly Scope[];
  password: string;
}

/** What a new token lacks still; null: nothing. */
export function refusesToken({ name, scopes, password }: NewTokenChoice): string | null {
  if (name.trim() === "") return "Enter a name.";
  if (scopes.length === 0) return "Choose at least one scope.";
  return password === "" ? "Enter your password." : null;
}

const DAY = 86_400_000;

/** When a token ends, or that it did. */
export function describeExpiry(token: Pick<TokenRow, "expired" | "expires_at">, now: number): string {
  if (token.expired) return "ended";
  const days = Math.round((Date.parse(token.expires_at) - now) / DAY);
  return days < 1 ? "within a day" : days === 1 ? "in a day" : `in ${days} days`;
}
