import { useCallback, useState } from "react";
import { inWords } from "../core/api/client";
import { may } from "../core/api/rights";
import type { Me } from "../core/api/types";
import { ownerRefusal, type Thing } from "../core/sharing/thing";
import { ThingDialogs } from "../core/sharing/ThingDialogs";
import { Header } from "../core/shell/Header";
import { Failure } from "../core/ui/Failure";
import { Gone } from "../core/ui/Gone";
import { Loading } from "../core/ui/Loading";
import { usePolled } from "../core/ui/usePolled";
import { useTitle } from "../core/ui/useTitle";
import { AlertFacts } from "./AlertFacts";
import { alertApi, type Alert } from "./calls";
import { DeleteAlert } from "./DeleteAlert";
import { IncidentsCard } from "./IncidentsCard";
import { useAlertNews } from "./useAlertNews";

const AGAIN_MS = 5000;

const thingOf = ({ id, name, owner, rights }: Alert): Thing => ({
  kind: "alert",
  name,
  owner,
  rights,
  path: `/api/alerts/${id}/`,
});

function Buttons({ alert, again }: { alert: Alert; again: () => void }) {
  const [asked, setAsked] = useState<"transfer" | "activity" | "delete" | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const refusal = ownerRefusal(alert) ?? undefined;
  const owns = may("own", alert);
  const close = () => setAsked(null);
  const enable = () => {
    setFailure(null);
    alertApi.enable(alert.id, !alert.enabled).then(again, (error: unknown) => setFailure(inWords(error)));
  };
  return (
    <span className="row">
      <Failure words={failure} />
      <button type="button" data-testid="enable-alert" disabled={!owns} title={refusal} onClick={enable}>
        {alert.enabled ? "Disable" : "Enable"}
      </button>
      <button type="button" disabled={!owns} title={refusal} onClick={() => setAsked("transfer")}>
        Change owner…
      </button>
      <button type="button" onClick={() => setAsked("activity")}>
        Activity
      </button>
      <button
        type="button"
        className="danger"
        data-testid="delete-alert"
        disabled={!owns}
        title={refusal}
        onClick={() => setAsked("delete")}
      >
        Delete…
      </button>
      {asked === "delete" ? (
        <DeleteAlert alert={alert} close={close} done={() => window.location.assign("/alerts/")} />
      ) : (
        <ThingDialogs
          thing={thingOf(alert)}
          owner_kind={alert.owner_kind}
          asked={asked}
          close={close}
          changed={again}
        />
      )}
    </span>
  );
}

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
        <Gone title="This alert cannot be shown" words={failure} link="/alerts/">
          All alerts
        </Gone>
      ) : (
        <main className="page" data-testid="alert-page">
          <div className="row spread">
            <h1>{alert?.name ?? "Alert"}</h1>
            {alert && <Buttons alert={alert} again={again} />}
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
