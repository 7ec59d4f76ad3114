import { useState } from "react";
import { describeError } from "../api/client";
import { Failure } from "./Failure";

interface Props {
  title: string;
  /** Why it is not shown. */
  words: string;
  /** Where to go instead. */
  link: string;
  children: string;
  /** How to create it again, if that makes sense. */
  again?: { words: string; act: () => Promise<void> };
}

/** The page in place of what cannot be shown: why, and where to go. */
export function NotAvailable({ title, words, link, children, again }: Props) {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const make = (act: () => Promise<void>) => {
    setBusy(true);
    act().catch((error: unknown) => {
      setRefusal(describeError(error));
      setBusy(false);
    });
  };
  return (
    <main className="page">
      <section className="card empty">
        <h1>{title}</h1>
        <p role="alert" data-testid="notice">
          {words}
        </p>
        <Failure words={refusal} />
        <div className="row">
          {again && (
            <button
              type="button"
              className="primary"
              data-testid="make-again"
              disabled={busy}
              onClick={() => make(again.act)}
            >
              {again.words}
            </button>
          )}
          <a className="button" href={link}>
            {children}
          </a>
        </div>
      </section>
    </main>
  );
}
