import { useState } from "react";
import { describeError } from "../core/api/client";
import { ListFoot } from "../core/search/ListTools";
import { listOf, useListing } from "../core/search/useListing";
import { useDebounced } from "../core/search/useDebounced";
import { Failure } from "../core/ui/Failure";
import { LoadingText } from "../core/ui/Loading";
import { capitalize, INCIDENT_STATES } from "./alertState";
import { alertApi, type Incident } from "./calls";
import { FilterChips } from "../core/search/FilterChips";
import { IncidentTable } from "./IncidentTable";
import { useAlertNews } from "./useAlertNews";
import { useFilter } from "./useFilter";
import { useNow } from "./useNow";

/** The incidents of an alert: firing first, then pending, resolved and retracted. */
export function IncidentsCard({ alert }: { alert: number }) {
  const [state, chooseState] = useFilter("state", INCIDENT_STATES);
  const [key, setKey] = useState("");
  const rested = useDebounced(key);
  const listing = useListing<Incident>(listOf(alertApi.incidentsAddress(alert), { state, key: rested }));
  const now = useNow();
  useAlertNews(alert, listing.again);
  const { rows, error, next, busy, more } = listing;
  const isFiltered = state !== "" || rested !== "";
  return (
    <section className="card">
      <h2>Incidents</h2>
      <div className="list-tools">
        <input
          type="search"
          aria-label="Incidents of this key"
          placeholder="Key"
          maxLength={200}
          data-testid="incident-key"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <FilterChips
          label="State"
          choices={INCIDENT_STATES.map((incidentState) => [incidentState, capitalize(incidentState)])}
          value={state}
          choose={chooseState}
        />
      </div>
      {error !== null && <Failure words={describeError(error)} />}
      {rows === null && error === null && <LoadingText what="incidents" />}
      {rows?.length === 0 && (
        <p className="faint" data-testid="no-incidents">
          {isFiltered
            ? "No incidents match."
            : "No incidents yet. One begins when the node is true for a key."}
        </p>
      )}
      {rows !== null && rows.length > 0 && (
        <>
          <div className="list-table" aria-busy={busy}>
            <IncidentTable incidents={rows} now={now} />
          </div>
          <ListFoot what="incidents" many={rows.length} next={next} busy={busy} more={more} />
        </>
      )}
    </section>
  );
}
