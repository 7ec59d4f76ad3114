import { useState } from "react";
import { api, describeError } from "../core/api/client";
import { may, refusesMaking } from "../core/api/rights";
import type { EventRow } from "../core/api/streams";
import type { Me, Stream } from "../core/api/types";
import { copyText } from "../core/ui/copyText";
import { pushCommand } from "./pushExample";

interface Props {
  me: Me | null;
  stream: Stream;
  /** The newest events, or null before they are known. */
  newest: readonly EventRow[] | null;
}

/** A command to copy, which stays while events come. A token is made only when it is asked for, and shown only here. */
export function PushExample({ me, stream, newest }: Props) {
  const pushes = may("operate", stream);
  const looks = refusesMaking(me);
  const [like, setLike] = useState<EventRow | null>(null);
  if (like === null && newest?.[0]) setLike(newest[0]);
  const [token, setToken] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const [now] = useState(() => new Date());
  const command = pushCommand(stream, window.location.origin, token ?? "YOUR_TOKEN", now, like);
  const copy = () => copyText(command).then(setSaid);
  const makeToken = () =>
    api.makeToken({ name: `Events of ${stream.name}`, scopes: ["events"] }).then(
      (answer) => {
        setToken(answer.token);
        setSaid("It can push events for 90 days. It is shown only here, and listed under Tokens.");
      },
      (error: unknown) => setSaid(describeError(error)),
    );
  return (
    <div>
      <pre className="code" data-testid="curl">
        {command}
      </pre>
      <div className="row">
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
        {pushes && token === null && (
          <button type="button" onClick={() => void makeToken()}>
            Make a token
          </button>
        )}
        <span className="faint" role="status">
          {said}
        </span>
      </div>
      {!pushes && (
        <p className="faint" data-testid="no-pushing">
          You may view this stream, but not push events to it. {looks ?? `Ask ${stream.owner}.`}
        </p>
      )}
    </div>
  );
}
