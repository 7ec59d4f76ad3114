import { useCallback } from "react";
import type { Me } from "../core/api/types";
import { Header } from "../core/shell/Header";
import { Failure } from "../core/ui/Failure";
import { NotAvailable } from "../core/ui/NotAvailable";
import { Loading } from "../core/ui/Loading";
import { usePolled } from "../core/ui/usePolled";
import { useTitle } from "../core/ui/useTitle";
import { AlertFacts } from "./AlertFacts";
import { AlertButtons } from "./AlertButtons";
import { alertApi } from "./calls";
import { IncidentsCard } from "./IncidentsCard";
import { useAlertNews } from "./useAlertNews";

const AGAIN_MS = 5000;

/** One alert: its rule, how it is, and its incidents. */
export function AlertPage({ me, id }: { me: Me | null; id: number }) {
  const fetch = useCallback(() => alertApi.alert(id), [id]);
  const { value: alert, failure, gone, again } = usePolled(fetch, AGAIN_MS);
  useTitle(alert?.name ?? "Alert");
  useAlertNews(id, again);
  return (
    <>
      <Header me={me} here="alerts" />
      {failure !== null && (alert === null || gone) ? (
        <NotAvailable title="This alert cannot be shown" words={failure} link="/alerts/">
          All alerts
        </NotAvailable>
      ) : (
        <main className="page" data-testid="alert-page">
          <div className="row spread">
            <h1>{alert?.name ?? "Alert"}</h1>
            {alert && <AlertButtons alert={alert} again={again} />}
          </div>
          <Failure words={failure} />
          {alert === null && <Loading what="the alert" />}
          {alert && (
            <>
              <AlertFacts alert={alert} />
              <IncidentsCard alert={id} />
            </>
          )}
        </main>
      )}
    </>
  );
}
