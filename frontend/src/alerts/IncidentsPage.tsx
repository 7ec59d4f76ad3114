import type { Me } from "../core/api/types";
import { FilterChips } from "../core/search/FilterChips";
import { ListFoot, ListTools } from "../core/search/ListTools";
import { describeOtherError, wrongOf } from "../core/search/problems";
import { listOf, useListing } from "../core/search/useListing";
import { useQuery } from "../core/search/useQuery";
import { Header } from "../core/shell/Header";
import { Failure } from "../core/ui/Failure";
import { Loading } from "../core/ui/Loading";
import { useTitle } from "../core/ui/useTitle";
import { AlertTabs } from "./AlertTabs";
import { INCIDENT_STATES, SEVERITIES } from "./alertState";
import type { Incident } from "./calls";
import { IncidentTable } from "./IncidentTable";
import { StateFilters } from "./StateFilters";
import { useAlertNews } from "./useAlertNews";
import { useFilter } from "./useFilter";
import { useNow } from "./useNow";

const WHOSE = ["me"] as const;

/** What is chosen above the list, kept in the address. */
function useFilters() {
  const query = useQuery();
  const [state, chooseState] = useFilter("state", INCIDENT_STATES);
  const [severity, chooseSeverity] = useFilter("severity", SEVERITIES);
  const [assignee, chooseAssignee] = useFilter("assignee", WHOSE);
  const address = listOf("/api/incidents/", { q: query.asked, state, severity, assignee });
  const isFiltered = state !== "" || severity !== "" || assignee !== "" || query.asked !== "";
  const chips = (
    <StateFilters {...{ states: INCIDENT_STATES, state, chooseState, severity, chooseSeverity }}>
      <FilterChips
        label="Assigned"
        choices={[["me", "Assigned to me"]]}
        value={assignee}
        choose={chooseAssignee}
      />
    </StateFilters>
  );
  return { query, address, isFiltered, chips };
}

/** Incidents of all alerts that one may view, firing ones first. */
export function IncidentsPage({ me }: { me: Me | null }) {
  useTitle("Incidents");
  const { query, address, isFiltered, chips } = useFilters();
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
        <ListTools kind="incident" query={query} wrong={wrongOf(query.asked, error)} />
        <Failure words={describeOtherError(query.asked, error)} />
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
