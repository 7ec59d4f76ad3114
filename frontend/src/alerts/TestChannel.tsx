import { useCallback, useState } from "react";
import { Dialog } from "../core/ui/Dialog";
import { Failure } from "../core/ui/Failure";
import { useLoaded } from "../core/ui/useLoaded";
import { channelApi, type Channel } from "./calls";

interface Props {
  channel: Channel;
  /** It was made just now: nothing is sent until somebody asks. */
  isNew: boolean;
  close: () => void;
}

/** Sends a test message, and says whether the receiver has taken it. */
export function TestChannel({ channel: { id, name }, isNew, close }: Props) {
  const [isAsked, setAsked] = useState(!isNew);
  const fetch = useCallback(
    () => (isAsked ? channelApi.test(id).then(() => true) : Promise.resolve(false)),
    [id, isAsked],
  );
  const { value: delivered, failure, again } = useLoaded(fetch);
  const isSending = isAsked && !delivered && failure === null;
  const words = delivered
    ? "The receiver has accepted the test message."
    : isAsked
      ? "Sending a test message …"
      : "Channel created. Choose it in the settings of alerts.";
  return (
    <Dialog title={isNew ? name : `Test of “${name}”`} close={close}>
      <div className="alert-form">
        {failure === null && (
          <p role="status" data-testid="channel-tested">
            {words}
          </p>
        )}
        <Failure words={failure} testid="channel-test-failure" />
        <div className="row">
          <button
            type="button"
            className={isAsked ? "" : "primary"}
            data-testid="send-test"
            disabled={isSending}
            onClick={() => (isAsked ? again() : setAsked(true))}
          >
            {isAsked ? "Send again" : "Send a test message"}
          </button>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  );
}
