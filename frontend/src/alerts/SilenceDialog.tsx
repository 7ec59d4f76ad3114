import "./alerts.css";
import { useState, type FormEvent } from "react";
import { describeError } from "../core/api/client";
import { formatField } from "../core/time/parse";
import { Dialog } from "../core/ui/Dialog";
import { DialogFoot } from "../core/ui/DialogFoot";
import { InstantField } from "../core/ui/InstantField";
import { TextField } from "../core/ui/TextField";
import { silenceApi } from "./calls";
import { PatternFields } from "./PatternFields";
import { newSilence, refusesSilence, SNOOZES, toSilence, type SilenceDraft } from "./silenceTimes";
import { useNow } from "./useNow";

/** What is silenced: an alert, maybe of one key; null: alerts of one's own by label and key. */
export interface Silenced {
  alert: { id: number; name: string } | null;
  /** Of its keys; empty: all. */
  pattern: string;
}

interface Props extends Silenced {
  close: () => void;
  done: () => void;
}

interface FieldProps {
  draft: SilenceDraft;
  change: (more: Partial<SilenceDraft>) => void;
}

function WhatFields({ draft, change }: FieldProps) {
  return (
    <>
      <TextField
        label="Keys"
        testid="silence-key"
        value={draft.key}
        placeholder="all keys"
        maxLength={1024}
        help="* stands for any text, as in oven-7*."
        set={(key) => change({ key })}
      />
      {draft.alert === null && (
        <TextField
          label="Label of alerts"
          testid="silence-label"
          value={draft.label}
          placeholder="all of your alerts, or team=bakery"
          maxLength={260}
          set={(label) => change({ label })}
        />
      )}
      <TextField
        label="Reason"
        testid="silence-reason"
        value={draft.reason}
        placeholder="Maintenance"
        maxLength={500}
        set={(reason) => change({ reason })}
      />
    </>
  );
}

function WhenFields({ draft, change }: FieldProps) {
  return (
    <>
      <PatternFields draft={draft} set={change} />
      {draft.pattern === "always" && (
        <div className="segments" role="group" aria-label="How long">
          {SNOOZES.map(({ id, title, until }) => (
            <button
              key={id}
              type="button"
              data-testid={`silence-${id}`}
              onClick={() => change({ begins: "", ends: formatField(until(Date.now() * 1000)) })}
            >
              {title}
            </button>
          ))}
        </div>
      )}
      <div className="grid silence-times">
        <InstantField
          label="Begins, empty: now"
          testid="silence-begins"
          value={draft.begins}
          set={(begins) => change({ begins })}
        />
        <InstantField
          label="Ends"
          testid="silence-ends"
          value={draft.ends}
          set={(ends) => change({ ends })}
        />
      </div>
    </>
  );
}

/** Make a silence: of what, for how long, and why. */
export function SilenceDialog({ alert, pattern, close, done }: Props) {
  const [draft, setDraft] = useState(() => newSilence(alert?.id ?? null, pattern, Date.now() * 1000));
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const now = useNow();
  const change = (more: Partial<SilenceDraft>) => setDraft((held) => ({ ...held, ...more }));
  const send = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    silenceApi
      .create(toSilence(draft))
      .then(done, (error: unknown) => setFailure(describeError(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={alert === null ? "New silence" : `Silence “${alert.name}”`} close={close}>
      <form className="alert-form" data-testid="silence-form" onSubmit={send}>
        <p className="faint">Incidents go on. Only messages wait until the silence ends.</p>
        <WhatFields draft={draft} change={change} />
        <WhenFields draft={draft} change={change} />
        <DialogFoot
          failure={failure}
          refusal={refusesSilence(draft, now)}
          busy={busy}
          testid="create-silence"
          close={close}
        >
          Silence
        </DialogFoot>
      </form>
    </Dialog>
  );
}
