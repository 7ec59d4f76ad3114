import { useCallback, useState } from "react";
import { describeError } from "../core/api/client";
import { streamApi, type Removal } from "../core/api/streams";
import type { Stream } from "../core/api/types";
import { Dialog } from "../core/ui/Dialog";
import { DialogFoot } from "../core/ui/DialogFoot";
import { Failure } from "../core/ui/Failure";
import { LoadingText } from "../core/ui/Loading";
import { useLoaded } from "../core/ui/useLoaded";
import { describeConsent, describeConsequences, describeRefusal, type RemovalKind } from "./removal";

const TITLES: Readonly<Record<RemovalKind, string>> = { delete: "Delete", empty: "Empty" };

function Plans({ effects }: { effects: Removal }) {
  const running = effects.plans.filter((plan) => plan.running);
  if (running.length === 0) return null;
  return (
    <ul data-testid="running-readers">
      {running.map((plan, place) => (
        <li key={plan.id ?? `hidden-${place}`}>
          {plan.id === null ? plan.name : <a href={`/plans/${plan.id}/`}>{plan.name}</a>} of {plan.owner}
        </li>
      ))}
    </ul>
  );
}

interface FormProps {
  stream: Stream;
  way: RemovalKind;
  effects: Removal;
  close: () => void;
  done: () => void;
}

function Form({ stream, way, effects, close, done }: FormProps) {
  const [agreed, setAgreed] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const asked = describeConsent(effects);
  const go = () => {
    setBusy(true);
    streamApi[way](stream.name, agreed).then(done, (error: unknown) => {
      setBusy(false);
      setFailure(describeError(error));
    });
  };
  const open = asked !== null && !agreed ? `Agree to stop what reads it, or stop it yourself first.` : null;
  return (
    <>
      {describeConsequences(effects, way).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <Plans effects={effects} />
      {asked !== null && describeRefusal(effects) === null && (
        <label className="row">
          <input
            type="checkbox"
            data-testid="stop-readers"
            checked={agreed}
            onChange={(event) => setAgreed(event.target.checked)}
          />
          {asked}
        </label>
      )}
      <DialogFoot
        failure={failure}
        go={go}
        refusal={describeRefusal(effects) ?? open}
        busy={busy}
        danger
        testid="remove-stream"
        close={close}
      >
        {TITLES[way]}
      </DialogFoot>
    </>
  );
}

interface Props {
  stream: Stream;
  way: RemovalKind;
  close: () => void;
  done: () => void;
}

/** Says what emptying or deleting a stream would cause, and does it. */
export function RemoveStream({ stream, way, close, done }: Props) {
  const fetch = useCallback(() => streamApi.removal(stream.name), [stream.name]);
  const { value: told, failure } = useLoaded(fetch);
  return (
    <Dialog title={`${TITLES[way]} “${stream.name}”?`} close={close}>
      <Failure words={failure} />
      {told === null && failure === null && <LoadingText what="what this would cause" />}
      {told && <Form stream={stream} way={way} effects={told} close={close} done={done} />}
    </Dialog>
  );
}
