import { useState } from "react";
import { refusesMaking } from "../core/api/rights";
import type { Me } from "../core/api/types";
import { listOf, useListing } from "../core/search/useListing";
import { useQuery } from "../core/search/useQuery";
import { ListPage } from "../core/shell/ListPage";
import { useTitle } from "../core/ui/useTitle";
import { SEVERITIES } from "./alertState";
import { AlertTabs } from "./AlertTabs";
import { AlertTable } from "./AlertTable";
import type { Alert } from "./calls";
import { DeleteAlert } from "./DeleteAlert";
import { StateFilters } from "./StateFilters";
import { useAlertNews } from "./useAlertNews";
import { useFilter } from "./useFilter";

const STATES = [
  "firing",
  "pending",
  "quiet",
  "waiting",
  "disabled",
] as const satisfies readonly Alert["state"][];

function Empty({ looks }: { looks: string | null }) {
  return (
    <section className="card empty">
      <h2>No alerts yet</h2>
      <p>
        An alert watches a node of a plan that is true or false, and shows for which keys it is true now and
        was before. Open a plan, select a node, and choose “Alert…” in its menu.
      </p>
      {looks === null ? (
        <a className="button primary" href="/">
          Choose a plan
        </a>
      ) : (
        <p className="faint">{looks}</p>
      )}
    </section>
  );
}

function NoneInState({ clear }: { clear: () => void }) {
  return (
    <section className="card empty" data-testid="no-match">
      <h2>No alerts match</h2>
      <p>No alert that you may view has this state and severity.</p>
      <button type="button" onClick={clear}>
        Clear filter
      </button>
    </section>
  );
}

/** All alerts that one may view, the firing ones first. */
export function AlertsPage({ me }: { me: Me | null }) {
  useTitle("Alerts");
  const query = useQuery();
  const [state, chooseState] = useFilter("state", STATES);
  const [severity, chooseSeverity] = useFilter("severity", SEVERITIES);
  const listing = useListing<Alert>(listOf("/api/alerts/", { q: query.asked, state, severity }));
  const [leaving, setLeaving] = useState<Alert | null>(null);
  useAlertNews(null, listing.again);
  const isFiltered = state !== "" || severity !== "";
  const isEmpty = listing.rows?.length === 0 && query.asked === "" && !isFiltered;
  const clear = () => {
    chooseState("");
    chooseSeverity("");
  };
  return (
    <ListPage
      me={me}
      kind="alert"
      query={query}
      listing={listing}
      buttons={null}
      empty={isFiltered ? <NoneInState clear={clear} /> : <Empty looks={refusesMaking(me)} />}
      above={
        <>
          <AlertTabs here="alerts" />
          {!isEmpty && (
            <StateFilters
              states={STATES}
              state={state}
              chooseState={chooseState}
              severity={severity}
              chooseSeverity={chooseSeverity}
            />
          )}
        </>
      }
      idOf={(alert) => String(alert.id)}
      nameOf={(alert) => alert.name}
      table={(alerts, boxes) => <AlertTable alerts={alerts} boxes={boxes} remove={setLeaving} />}
    >
      {leaving && (
        <DeleteAlert
          alert={leaving}
          close={() => setLeaving(null)}
          done={() => {
            setLeaving(null);
            listing.again();
          }}
        />
      )}
    </ListPage>
  );
}
