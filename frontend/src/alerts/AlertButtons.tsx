import { useState } from "react";
import { describeError } from "../core/api/client";
import { may } from "../core/api/rights";
import { ownerRefusal, type SharedThing } from "../core/sharing/thing";
import { ThingDialogs } from "../core/sharing/ThingDialogs";
import { Failure } from "../core/ui/Failure";
import { alertApi, type Alert } from "./calls";
import { DeleteAlert } from "./DeleteAlert";
import { EditAlert } from "./EditAlert";
import { SilenceMenu } from "./SilenceMenu";

const thingOf = ({ id, name, owner, rights }: Alert): SharedThing => ({
  kind: "alert",
  name,
  owner,
  rights,
  path: `/api/alerts/${id}/`,
});

type AlertDialog = "transfer" | "activity" | "delete" | "edit";

interface Props {
  alert: Alert;
  again: () => void;
}

function AlertDialogs({
  alert,
  again,
  asked,
  close,
}: Props & { asked: AlertDialog | null; close: () => void }) {
  const done = () => {
    close();
    again();
  };
  if (asked === "edit") return <EditAlert alert={alert} close={close} done={done} />;
  if (asked === "delete")
    return <DeleteAlert alert={alert} close={close} done={() => window.location.assign("/alerts/")} />;
  return (
    <ThingDialogs
      thing={thingOf(alert)}
      owner_kind={alert.owner_kind}
      asked={asked}
      close={close}
      changed={again}
    />
  );
}

/** What one may do with an alert. */
export function AlertButtons({ alert, again }: Props) {
  const [asked, setAsked] = useState<AlertDialog | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const refusal = ownerRefusal(alert) ?? undefined;
  const owns = may("own", alert);
  const close = () => setAsked(null);
  const enable = () => {
    setFailure(null);
    alertApi
      .enable(alert.id, !alert.enabled)
      .then(again, (error: unknown) => setFailure(describeError(error)));
  };
  return (
    <span className="row">
      <Failure words={failure} />
      {may("operate", alert) && <SilenceMenu alert={alert} pattern="" again={again} />}
      <button
        type="button"
        data-testid="edit-alert"
        disabled={!owns}
        title={refusal}
        onClick={() => setAsked("edit")}
      >
        Edit…
      </button>
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
      <AlertDialogs alert={alert} asked={asked} close={close} again={again} />
    </span>
  );
}
