import "./alerts.css";
import { useState, type FormEvent } from "react";
import { describeError } from "../core/api/client";
import { Dialog } from "../core/ui/Dialog";
import { DialogFoot } from "../core/ui/DialogFoot";
import { alertApi, type Alert } from "./calls";
import { draftOf, refusesDraft, toSettings } from "./settings";
import { SettingsFields } from "./SettingsFields";

interface Props {
  alert: Alert;
  close: () => void;
  done: () => void;
}

/** Change the settings of an alert; its rule is changed in the plan. */
export function EditAlert({ alert, close, done }: Props) {
  const [draft, setDraft] = useState(() => draftOf(alert));
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const send = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    alertApi
      .change(alert.id, toSettings(draft))
      .then(done, (error: unknown) => setFailure(describeError(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={`Edit “${alert.name}”`} close={close}>
      <form className="alert-form" data-testid="alert-form" onSubmit={send}>
        <p className="faint">
          To change its rule, edit the node {alert.node} in <a href={`/plans/${alert.plan}/`}>the plan</a>.
        </p>
        <SettingsFields draft={draft} change={setDraft} />
        <DialogFoot
          failure={failure}
          refusal={refusesDraft(draft)}
          busy={busy}
          testid="save-alert"
          close={close}
        >
          Save
        </DialogFoot>
      </form>
    </Dialog>
  );
}
