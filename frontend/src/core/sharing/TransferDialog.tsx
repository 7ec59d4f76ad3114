import "./people.css";
import { useState, type ReactNode } from "react";
import { describeError } from "../api/client";
import { Dialog } from "../ui/Dialog";
import { people, type Holder } from "./calls";
import { HolderSearch } from "./HolderSearch";
import { DialogFoot } from "../ui/DialogFoot";

interface ReasonProps {
  value: string;
  set: (reason: string) => void;
}

/** Why; it is kept in the audit. */
export function ReasonField({ value, set }: ReasonProps) {
  return (
    <div className="field">
      <label htmlFor="reason">
        Reason <span className="faint">optional, kept with the activity</span>
      </label>
      <input
        id="reason"
        data-testid="reason"
        maxLength={500}
        value={value}
        onChange={(event) => set(event.target.value)}
      />
    </div>
  );
}

interface Props {
  title: string;
  /** Address in the API of what is given away, or of the person all of whose things are. */
  path: string;
  owner: Holder | null;
  children: ReactNode;
  /** What is done instead of transferring only. */
  act?: { title: string; go: (to: Holder, reason: string) => Promise<unknown>; refusal?: string | null };
  close: () => void;
  done: (to: Holder) => void;
}

/** Whom to give it to, and why. */
export function TransferDialog({ title, path, owner, children, act, close, done }: Props) {
  const [to, setTo] = useState<Holder | null>(null);
  const [reason, setReason] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const go = () => {
    if (to === null) return;
    setBusy(true);
    const going = act ? act.go(to, reason) : people.transfer(path, to, reason);
    going.then(
      () => done(to),
      (error: unknown) => {
        setFailure(describeError(error));
        setBusy(false);
      },
    );
  };
  return (
    <Dialog title={title} close={close}>
      <div className="people-dialog" data-testid="transfer">
        <div className="people-words">{children}</div>
        {to === null ? (
          <HolderSearch label="To" except={owner === null ? [] : [owner]} choose={setTo} />
        ) : (
          <p className="row">
            To <b>{to.name}</b> <span className="faint">{to.kind}</span>
            <button type="button" className="quiet" onClick={() => setTo(null)}>
              Choose another
            </button>
          </p>
        )}
        <ReasonField value={reason} set={setReason} />
        <DialogFoot
          failure={failure}
          go={go}
          testid="transfer-go"
          refusal={act?.refusal ?? (to === null ? "Choose the new owner." : null)}
          busy={busy}
          close={close}
        >
          {act?.title ?? "Transfer"}
        </DialogFoot>
      </div>
    </Dialog>
  );
}
