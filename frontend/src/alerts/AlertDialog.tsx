import "./alerts.css";
import { useState, type FormEvent } from "react";
import { describeError } from "../core/api/client";
import { Dialog } from "../core/ui/Dialog";
import { DialogFoot } from "../core/ui/DialogFoot";
import { BackTestPanel } from "./BackTestPanel";
import type { TestedNode } from "./backTest";
import { alertApi, type Alert, type AlertTarget } from "./calls";
import { LimitFields } from "./LimitFields";
import { NO_LIMITS, refusesLimits, toParameters } from "./limits";
import { newDraft, refusesDraft, toSettings } from "./settings";
import { SettingsFields } from "./SettingsFields";

/** Parameters of the alert node that is to be added; null: the node itself is watched. */
export type Parameters = Readonly<Record<string, number | string>> | null;

interface Props {
  node: string;
  /** A number: it is compared with a limit. */
  hasLimits: boolean;
  /** The node as it is drawn, for the back-test. */
  tested: TestedNode;
  /** Brings the plan so far that the alert can be made; the node that it watches. */
  prepare: (parameters: Parameters) => Promise<AlertTarget>;
  close: () => void;
}

function Created({ alert, close }: { alert: Alert; close: () => void }) {
  return (
    <>
      <p role="status" data-testid="alert-created">
        {alert.digest === null && alert.state === "waiting"
          ? `Alert created. It begins once the plan runs the node ${alert.node}: run or apply the plan.`
          : "Alert created."}
      </p>
      <div className="row">
        <a className="button primary" href={`/alerts/${alert.id}/`}>
          Open the alert
        </a>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </>
  );
}

/** Make an alert on a node. */
export function AlertDialog({ node, hasLimits, tested, prepare, close }: Props) {
  const [draft, setDraft] = useState(() => newDraft(node));
  const [limits, setLimits] = useState(NO_LIMITS);
  const [created, setCreated] = useState<Alert | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const send = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    prepare(hasLimits ? toParameters(limits) : null)
      .then((target) => alertApi.create({ ...target, ...toSettings(draft) }))
      .then(setCreated, (error: unknown) => setFailure(describeError(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={`Alert on ${node}`} close={close}>
      {created ? (
        <Created alert={created} close={close} />
      ) : (
        <form className="alert-form" data-testid="alert-form" onSubmit={send}>
          {hasLimits && (
            <>
              <LimitFields node={node} limits={limits} change={setLimits} />
              <p className="faint">This adds an alert node after {node} to the plan.</p>
            </>
          )}
          <BackTestPanel
            node={tested}
            limits={hasLimits ? limits : null}
            change={setLimits}
            flapping={draft.flapping}
          />
          <SettingsFields draft={draft} change={setDraft} />
          <DialogFoot
            failure={failure}
            refusal={(hasLimits ? refusesLimits(limits) : null) ?? refusesDraft(draft)}
            busy={busy}
            testid="create-alert"
            close={close}
          >
            Create alert
          </DialogFoot>
        </form>
      )}
    </Dialog>
  );
}
