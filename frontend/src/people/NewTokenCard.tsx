import { useState } from "react";
import type { MadeToken } from "../core/api/client";
import { copyText } from "../core/ui/copyText";

/** A new token: it must be copied now, for it is never shown again. */
export function NewTokenCard({ token, done }: { token: MadeToken; done: () => void }) {
  const [said, setSaid] = useState("");
  const copy = () => copyText(token.token).then(setSaid);
  return (
    <section className="card made-token" aria-label="New token" data-testid="made-token">
      <h2>“{token.name}” created</h2>
      <p>Copy it now: it is shown only once. Anyone who has it can act in your name within its scopes.</p>
      <pre className="code" data-testid="token-text">
        {token.token}
      </pre>
      <p className="faint">
        Send it as <code>Authorization: Token …</code> with every call.
      </p>
      <div className="row">
        <button type="button" className="primary" data-testid="copy-token" onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" data-testid="token-kept" onClick={done}>
          I’ve copied it
        </button>
        <span className="faint" role="status">
          {said}
        </span>
      </div>
    </section>
  );
}
