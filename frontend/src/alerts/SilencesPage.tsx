import { useState } from "react";
import { describeError } from "../core/api/client";
import { refusesMaking } from "../core/api/rights";
import type { Me } from "../core/api/types";
import { FilterChips } from "../core/search/FilterChips";
import { ListFoot } from "../core/search/ListTools";
import { listOf, useListing } from "../core/search/useListing";
import { Header } from "../core/shell/Header";
import { Failure } from "../core/ui/Failure";
import { Loading } from "../core/ui/Loading";
import { useTitle } from "../core/ui/useTitle";
import { AlertTabs } from "./AlertTabs";
import { capitalize } from "./alertState";
import { silenceApi, type Silence } from "./calls";
import { SilenceDialog } from "./SilenceDialog";
import { SilenceTable } from "./SilenceTable";
import { useFilter } from "./useFilter";

const STATES = ["now", "coming", "past"] as const satisfies readonly Silence["state"][];

function Empty({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <p className="faint" data-testid="no-silences">
      No silences match.
    </p>
  ) : (
    <section className="card empty">
      <h2>No silences yet</h2>
      <p>
        A silence delays messages about some incidents, for example during maintenance. The incidents go on.
        You can also silence on the page of an alert or an incident.
      </p>
    </section>
  );
}

/** All silences that one may view: those that end last first. */
export function SilencesPage({ me }: { me: Me | null }) {
  useTitle("Silences");
  const [state, choose] = useFilter("state", STATES);
  const listing = useListing<Silence>(listOf("/api/silences/", { state }));
  const { rows, error, next, busy, more, again } = listing;
  const [isMaking, setMaking] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const end = ({ id }: Silence) => {
    setFailure(null);
    silenceApi.end(id).then(again, (why: unknown) => setFailure(describeError(why)));
  };
  const made = () => {
    setMaking(false);
    again();
  };
  const refusal = refusesMaking(me);
  return (
    <>
      <Header me={me} here="alerts" />
      <main className="page" data-testid="silences-page">
        <div className="row spread">
          <h1>Silences</h1>
          <button
            type="button"
            className="primary"
            data-testid="new-silence"
            disabled={refusal !== null}
            title={refusal ?? undefined}
            onClick={() => setMaking(true)}
          >
            New silence
          </button>
        </div>
        <AlertTabs here="silences" />
        <div className="list-tools">
          <FilterChips
            label="State"
            choices={STATES.map((one) => [one, capitalize(one)])}
            value={state}
            choose={choose}
          />
        </div>
        <Failure words={failure ?? (error === null ? null : describeError(error))} />
        {rows === null && error === null && <Loading what="silences" />}
        {rows?.length === 0 && <Empty isFiltered={state !== ""} />}
        {rows !== null && rows.length > 0 && (
          <>
            <SilenceTable silences={rows} end={end} />
            <ListFoot what="silences" many={rows.length} next={next} busy={busy} more={more} />
          </>
        )}
        {isMaking && <SilenceDialog alert={null} pattern="" close={() => setMaking(false)} done={made} />}
      </main>
    </>
  );
}
