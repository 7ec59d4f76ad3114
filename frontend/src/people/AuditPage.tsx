import { useState } from "react";
import type { Me } from "../core/api/types";
import { ActivityList } from "../core/sharing/Activity";
import { Header } from "../core/shell/Header";
import { formatAddress, parseField } from "../core/time/parse";
import { InstantField } from "../core/ui/InstantField";
import { useTitle } from "../core/ui/useTitle";
import "../core/sharing/people.css";

const KINDS = ["plan", "node", "stream", "dashboard", "sample", "person", "team", "token"] as const;

interface Filter {
  search: string;
  kind: string;
  actor: string;
  since: string;
  until: string;
}

const NOTHING: Filter = { search: "", kind: "", actor: "", since: "", until: "" };

/** What a field of a time means, as an address holds it; nothing while it is not whole. */
function timeOf(text: string): string {
  const parsed = parseField(text);
  return parsed === null ? "" : formatAddress(parsed.us);
}

/** The address of what is chosen. */
function addressOf(filter: Filter, more: Record<string, string> = {}): string {
  const times = { since: timeOf(filter.since), until: timeOf(filter.until) };
  const chosen = Object.entries({ ...filter, ...times, ...more }).filter(([, value]) => value.trim() !== "");
  const query = new URLSearchParams(chosen.map(([name, value]) => [name, value.trim()])).toString();
  return `/api/audit/${query === "" ? "" : `?${query}`}`;
}

function Filters({ filter, set }: { filter: Filter; set: (filter: Filter) => void }) {
  const field = (name: keyof Filter, label: string, type: string) => (
    <div className="field">
      <label htmlFor={`audit-${name}`}>{label}</label>
      <input
        id={`audit-${name}`}
        data-testid={`audit-${name}`}
        type={type}
        value={filter[name]}
        onChange={(event) => set({ ...filter, [name]: event.target.value })}
      />
    </div>
  );
  const time = (name: "since" | "until", label: string) => (
    <InstantField
      label={label}
      testid={`audit-${name}`}
      value={filter[name]}
      set={(value) => set({ ...filter, [name]: value })}
    />
  );
  return (
    <div className="audit-filters" role="search">
      {field("search", "Search names, actions and reasons", "search")}
      <div className="field">
        <label htmlFor="audit-kind">Object type</label>
        <select
          id="audit-kind"
          data-testid="audit-kind"
          value={filter.kind}
          onChange={(event) => set({ ...filter, kind: event.target.value })}
        >
          <option value="">everything</option>
          {KINDS.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      </div>
      {field("actor", "User", "search")}
      {time("since", "From")}
      {time("until", "To")}
    </div>
  );
}

/** Who did what to all that one may look at. */
export function AuditPage({ me }: { me: Me | null }) {
  useTitle("Activity");
  const [filter, setFilter] = useState(NOTHING);
  return (
    <>
      <Header me={me} here="audit" />
      <main className="page">
        <div className="row spread">
          <h1>Activity</h1>
          <a className="button" data-testid="audit-csv" href={addressOf(filter, { format: "csv" })} download>
            Download as CSV
          </a>
        </div>
        <Filters filter={filter} set={setFilter} />
        <section className="card">
          <ActivityList address={addressOf(filter)} named />
        </section>
      </main>
    </>
  );
}
