import type { ReactNode } from "react";
import "./lists.css";
import "./search.css";
import { has, STATES, toggled, type Kind } from "./language";
import type { Wrong } from "./problems";
import { QueryField } from "./QueryField";
import type { Query } from "./useQuery";
import { formatCounted } from "../ui/format";

interface Props {
  kind: Kind;
  query: Query;
  wrong: readonly Wrong[] | null;
}

const CHIPS: readonly [state: string, title: string][] = [
  ["mine", "Mine"],
  ["running", "Running"],
  ["failing", "Failing"],
  ["silenced", "Silenced"],
  ["unused", "Unused"],
  ["shared", "Shared"],
];

const says = (kind: Kind, state: string): boolean =>
  STATES.some((one) => one.value === state && one.kinds.includes(kind));

/** Above a list: its search, and what is mostly asked. */
export function ListTools({ kind, query, wrong }: Props) {
  return (
    <div className="list-tools" role="search" aria-label={`${kind}s`}>
      <QueryField label={`Search ${kind}s`} kind={kind} query={query} wrong={wrong} />
      <div className="segments" role="group" aria-label="Only those">
        {CHIPS.filter(([state]) => says(kind, state)).map(([state, title]) => {
          const term = state === "mine" ? "owner:me" : `is:${state}`;
          return (
            <button
              key={state}
              type="button"
              title={term}
              aria-pressed={has(query.text, term)}
              data-testid={`only-${state}`}
              onClick={() => query.set(toggled(query.text, term), true)}
            >
              {title}
            </button>
          );
        })}
      </div>
    </div>
  );
}

interface FootProps {
  /** What they are: plans. */
  what: string;
  many: number;
  next: string | null;
  busy: boolean;
  more: () => void;
}

/** Below a list: how many are shown, and more of them. */
export function ListFoot({ what, many, next, busy, more }: FootProps) {
  return (
    <p className="list-foot faint">
      {next !== null && (
        <button type="button" data-testid="more" aria-disabled={busy} onClick={more}>
          {busy ? "Loading." : `Show more ${what}`}
        </button>
      )}
      <span role="status" data-testid="shown">
        {next === null ? formatCounted(many, what) : `First ${many.toLocaleString("en")} shown.`}
      </span>
    </p>
  );
}

interface NothingProps {
  what: string;
  query: Query;
  children?: ReactNode;
}

/** Nothing matches: what to do. */
export function EmptyListText({ what, query, children }: NothingProps) {
  return (
    <section className="card empty" data-testid="no-match">
      <h2>No {what} match</h2>
      <p>
        Nothing matches all words of <span className="code">{query.asked}</span>. {children}
      </p>
      <button type="button" onClick={() => query.set("", true)}>
        Clear filter
      </button>
    </section>
  );
}

interface NameProps {
  what: string;
  search: string;
  setSearch: (search: string) => void;
}

/** Above a list that is searched by names alone. */
export function NameSearch({ what, search, setSearch }: NameProps) {
  return (
    <div className="list-tools" role="search" aria-label={what}>
      <input
        type="search"
        aria-label={`Search ${what}`}
        placeholder="Search by name"
        data-testid={`search-${what}`}
        maxLength={150}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
    </div>
  );
}

interface OwnerProps {
  thing: { owner: string; owner_kind: "person" | "team" };
}

/** Whose it is: a person's, or a team's. */
export function Owner({ thing }: OwnerProps) {
  return (
    <>
      {thing.owner}
      {thing.owner_kind === "team" && <span className="faint"> team</span>}
    </>
  );
}
