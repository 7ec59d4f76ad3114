import { useEffect, useState, type FormEvent } from "react";
import { describeError } from "../core/api/client";
import { streamApi, type Redeclaring } from "../core/api/streams";
import type { Stream } from "../core/api/types";
import { DeclarationFields, type Change } from "./DeclarationFields";
import { fieldsOfKey } from "./key";
import { declarationOf, draftOf, type Draft } from "./draft";
import { Failure } from "../core/ui/Failure";

const AFTER_MS = 300;

function told(stream: Stream): string {
  const fields = Object.entries(stream.fields).map(([name, type]) => `${name} (${type})`);
  return fields.length > 0 ? fields.join(", ") : "none declared; all are text";
}

function Declared({ stream }: { stream: Stream }) {
  const seen = stream.seen_fields.filter((name) => name !== stream.id && !Object.hasOwn(stream.fields, name));
  return (
    <dl className="declaration">
      <dt>Key</dt>
      <dd className="code">{stream.key}</dd>
      <dt>Time</dt>
      <dd className="code">
        {fieldsOfKey(stream.time).join(" and ")} ({stream.unit}
        {stream.zone && `, ${stream.zone}`})
      </dd>
      {stream.until && (
        <>
          <dt>End</dt>
          <dd className="code">{stream.until}</dd>
        </>
      )}
      <dt>Id</dt>
      <dd className="code">{stream.id ?? "none: every event counts"}</dd>
      <dt>Fields</dt>
      <dd>{told(stream)}</dd>
      {seen.length > 0 && (
        <>
          <dt>Other fields</dt>
          <dd>{seen.join(", ")}</dd>
        </>
      )}
      <dt>Lateness</dt>
      <dd className="code">{stream.allowed_lateness}</dd>
      <dt>Retention</dt>
      <dd className="code">{stream.retention}</dd>
      <dt>Idle after</dt>
      <dd className="code">{stream.idle_after ?? "never: only events advance results to final"}</dd>
      <dt>Allowed ahead</dt>
      <dd className="code">{stream.allowed_ahead}</dd>
      {stream.encoding && (
        <>
          <dt>Encoding</dt>
          <dd className="code">{stream.encoding}</dd>
        </>
      )}
    </dl>
  );
}

interface Foreseen {
  told: Redeclaring | null;
  failure: string | null;
}

/** What the change would cause, asked while it is written. */
function useConsequences(draft: Draft): Foreseen {
  const [foreseen, setForeseen] = useState<Foreseen>({ told: null, failure: null });
  const question = JSON.stringify(declarationOf(draft));
  useEffect(() => {
    let current = true;
    const timer = window.setTimeout(() => {
      streamApi.consequences(JSON.parse(question) as ReturnType<typeof declarationOf>).then(
        (answer) => current && setForeseen({ told: answer, failure: null }),
        (error: unknown) => current && setForeseen({ told: null, failure: describeError(error) }),
      );
    }, AFTER_MS);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [question]);
  return foreseen;
}

function Consequences({ foreseen }: { foreseen: Foreseen }) {
  const changes = foreseen.told?.changes ?? [];
  return (
    <div className="consequences" data-testid="redeclaring" aria-live="polite">
      <h3>Impact</h3>
      <Failure words={foreseen.failure} />
      {foreseen.told && changes.length === 0 && <p className="faint">Nothing has changed yet.</p>}
      <ul>
        {changes.map((change) => (
          <li key={change.what} className={change.possible ? undefined : "bad"}>
            <b>{change.what.replace("fields.", "").replace("_", " ")}</b>: {change.before ?? "none"} →{" "}
            {change.after ?? "none"}. {change.words}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface EditProps {
  stream: Stream;
  begin: Draft;
  running: boolean;
  close: () => void;
  done: () => void;
}

function Edit({ stream, begin, running, close, done }: EditProps) {
  const [draft, setDraft] = useState(begin);
  const [refusal, setRefusal] = useState<string | null>(null);
  const foreseen = useConsequences(draft);
  const change: Change = (what, value) => setDraft({ ...draft, [what]: value });
  const stays = running
    ? "Fixed while a plan that reads it runs."
    : stream.events > 0
      ? "Fixed: the stream has events."
      : null;
  const locked =
    stays === null ? {} : { key: stays, time: stays, unit: stays, zone: stays, id: stays, until: stays };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    streamApi
      .redeclare(declarationOf(draft))
      .then(done, (error: unknown) => setRefusal(describeError(error)));
  };
  const ready = foreseen.told?.possible === true && foreseen.told.changes.length > 0;
  return (
    <form onSubmit={submit} className="declare">
      <DeclarationFields
        draft={draft}
        change={change}
        guessed={null}
        locked={{ name: "The name of a stream is fixed.", ...locked }}
      />
      <Consequences foreseen={foreseen} />
      <Failure words={refusal} />
      <div className="row">
        <button type="submit" className="primary" data-testid="redeclare" disabled={!ready}>
          Save
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface Props {
  stream: Stream;
  mine: boolean;
  running: boolean;
  /** An allowed lateness to begin with, or null while it is only looked at. */
  editing: Partial<Draft> | null;
  edit: (begin: Partial<Draft> | null) => void;
  changed: () => void;
}

export function DeclarationCard({ stream, mine, running, editing, edit, changed }: Props) {
  const close = () => edit(null);
  return (
    <section className="card" data-testid="declaration">
      <div className="row spread">
        <h2>Schema</h2>
        {mine && editing === null && (
          <button type="button" data-testid="edit-declaration" onClick={() => edit({})}>
            Edit
          </button>
        )}
      </div>
      {editing === null ? (
        <Declared stream={stream} />
      ) : (
        <Edit
          stream={stream}
          begin={{ ...draftOf(stream), ...editing }}
          running={running}
          close={close}
          done={() => {
            close();
            changed();
          }}
        />
      )}
    </section>
  );
}
