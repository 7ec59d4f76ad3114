import "./people.css";
import { useEffect, useState } from "react";
import { describeError } from "../api/client";
import { Dialog } from "../ui/Dialog";
import { Ago } from "../ui/Ago";
import { people, type AuditPage, type Entry } from "./calls";
import { describeSource } from "./words";
import { Failure } from "../ui/Failure";

function Row({ entry, now, named }: { entry: Entry; now: number; named: boolean }) {
  const thing = entry.address ? <a href={entry.address}>{entry.name}</a> : <b>{entry.name}</b>;
  return (
    <li data-testid={`act-${entry.act}`}>
      <p>
        <b>{entry.actor}</b> {entry.words} {named && thing}
      </p>
      {entry.reason !== "" && <p className="reason">“{entry.reason}”</p>}
      {entry.changes.map((sentence, i) => (
        <p key={i} className="change">
          {sentence.map(({ text, address }, j) =>
            address === null ? (
              text
            ) : (
              <a key={j} href={address}>
                {text}
              </a>
            ),
          )}
        </p>
      ))}
      <p className="faint">
        <Ago at={entry.at} now={now} /> {describeSource(entry.source)}
      </p>
    </li>
  );
}

interface ActivityState {
  address: string;
  entries: Entry[];
  next: string | null;
  failure: string | null;
}

/** Who did what, the newest first, with more at the end where there is more. */
export function ActivityList({ address, named = false }: { address: string; named?: boolean }) {
  const [now] = useState(() => Date.now());
  const [held, setHeld] = useState<ActivityState | null>(null);
  const take = (page: AuditPage, before: Entry[]): ActivityState => ({
    address,
    entries: [...before, ...page.results],
    next: page.next,
    failure: null,
  });
  useEffect(() => {
    let current = true;
    people.audit(address).then(
      ({ results, next }) => current && setHeld({ address, entries: results, next, failure: null }),
      (error: unknown) =>
        current && setHeld({ address, entries: [], next: null, failure: describeError(error) }),
    );
    return () => {
      current = false;
    };
  }, [address]);
  if (held?.address !== address) return <p className="faint">Loading.</p>;
  const more = () => {
    if (held.next === null) return;
    const next = new URL(held.next, window.location.origin);
    people.audit(next.pathname + next.search).then(
      (page) => setHeld(take(page, held.entries)),
      (error: unknown) => setHeld({ ...held, failure: describeError(error) }),
    );
  };
  return (
    <>
      <Failure words={held.failure} />
      {held.entries.length === 0 && !held.failure && <p className="faint">No activity yet.</p>}
      <ol className="activity" data-testid="activity">
        {held.entries.map((entry) => (
          <Row key={entry.id} entry={entry} now={now} named={named} />
        ))}
      </ol>
      {held.next !== null && (
        <button type="button" onClick={more}>
          Show older
        </button>
      )}
    </>
  );
}

/** What was done to one thing. */
export function ActivityDialog({ name, path, close }: { name: string; path: string; close: () => void }) {
  return (
    <Dialog title={`Activity of “${name}”`} close={close}>
      <div className="people-dialog scrolled">
        <ActivityList address={`${path}audit/`} />
      </div>
      <div className="row">
        <a className="button" href={`${path}audit/?format=csv`} download>
          Download as CSV
        </a>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
