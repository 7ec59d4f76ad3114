import { useState } from "react";
import { inWords } from "../core/api/client";
import type { Me } from "../core/api/types";
import { FilterChips } from "../core/search/FilterChips";
import { ListFoot } from "../core/search/ListTools";
import { listOf, useListing } from "../core/search/useListing";
import { useRested } from "../core/search/useRested";
import { Header } from "../core/shell/Header";
import { Failure } from "../core/ui/Failure";
import { Loading } from "../core/ui/Loading";
import { useTitle } from "../core/ui/useTitle";
import { AlertTabs } from "./AlertTabs";
import { capitalize, INCIDENT_STATES, SEVERITIES } from "./alertState";
import type { Incident } from "./calls";
import { IncidentTable } from "./IncidentTable";
import { useAlertNews } from "./useAlertNews";
import { useFilter } from "./useFilter";
import { useNow } from "./useNow";

const WHOSE = ["me"] as const;

/** What is chosen above the list, kept in the address. */
function useFilters() {
  const [state, chooseState] = useFilter("state", INCIDENT_STATES);
  const [severity, chooseSeverity] = useFilter("severity", SEVERITIES);
  const [assignee, chooseAssignee] = useFilter("assignee", WHOSE);
  const [key, setKey] = useState("");
  const rested = useRested(key);
  const address = listOf("/api/incidents/", { state, severity, assignee, key: rested });
  const isFiltered = state !== "" || severity !== "" || assignee !== "" || rested !== "";
  const chips = (
    <div className="list-tools" role="search" aria-label="incidents">
      <input
        type="search"
        aria-label="Incidents of this key"
        placeholder="Key"
        maxLength={1024}
        data-testid="incident-key"
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <FilterChips
        label="State"
        choices={INCIDENT_STATES.map((one) => [one, capitalize(one)])}
        value={state}
        choose={chooseState}
      />
      <FilterChips
        label="Severity"
        choices={SEVERITIES.map((one) => [one, capitalize(one)])}
        value={severity}
        choose={chooseSeverity}
      />
      <FilterChips
        label="Assigned"
        choices={[["me", "Assigned to me"]]}
        value={assignee}
        choose={chooseAssignee}
      />
    </div>
  );
  return { address, isFiltered, chips };
}

/** Incidents of all alerts that one may view, firing ones first. */
export function IncidentsPage({ me }: { me: Me | null }) {
  useTitle("Incidents");
  const { address, isFiltered, chips } = useFilters();
  const { rows, error, next, busy, more, again } = useListing<Incident>(address);
  useAlertNews(null, again);
  const now = useNow();
  return (
    <>
      <Header me={me} here="alerts" />
      <main className="page" data-testid="incidents-page">
        <h1>Incidents</h1>
        <AlertTabs here="incidents" />
        {chips}
        <Failure words={error === null ? null : inWords(error)} />
        {rows === null && error === null && <Loading what="incidents" />}
        {rows?.length === 0 && (
          <p className="faint" data-testid="no-incidents">
            {isFiltered
              ? "No incidents match."
              : "No incidents yet. One begins when the node of an alert is true for a key."}
          </p>
        )}
        {rows !== null && rows.length > 0 && (
          <>
            <div className="list-table" aria-busy={busy}>
              <IncidentTable incidents={rows} now={now} hasAlerts />
            </div>
            <ListFoot what="incidents" many={rows.length} next={next} busy={busy} more={more} />
          </>
        )}
      </main>
    </>
  );
}
