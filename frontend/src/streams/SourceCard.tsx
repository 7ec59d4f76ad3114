import { Fragment, useState } from "react";
import { describeError } from "../core/api/client";
import { may } from "../core/api/rights";
import { streamApi, type Source } from "../core/api/streams";
import type { Stream } from "../core/api/types";
import { Failure } from "../core/ui/Failure";
import { formatOptionTitle } from "../core/ui/options";
import { SourceForm } from "./SourceForm";

const TONES: Readonly<Record<Source["observed"], string>> = {
  paused: "grey",
  starting: "amber",
  reading: "green",
  waiting: "amber",
  retrying: "red",
};

function counted(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "message" : "messages"}`;
}

/** Where it is fed from, and how that goes; of secrets only which are kept. */
function Told({ source }: { source: Source }) {
  const given = Object.entries(source.options).filter(([, value]) => value !== "");
  return (
    <>
      <p data-testid="source-words" aria-live="polite">
        <span className={`dot ${TONES[source.observed]}`} aria-hidden="true" /> {source.words}
      </p>
      <dl className="declaration">
        <dt>Kind</dt>
        <dd data-testid="source-of">{source.title}</dd>
        {given.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{formatOptionTitle(name)}</dt>
            <dd className="code">
              {String(value)} {source.units[name]}
            </dd>
          </Fragment>
        ))}
        {source.secrets.map((name) => (
          <Fragment key={name}>
            <dt>{formatOptionTitle(name)}</dt>
            <dd>stored, not shown</dd>
          </Fragment>
        ))}
        {source.mapping.length > 0 && (
          <>
            <dt>Field mapping</dt>
            <dd className="code" data-testid="source-mapping">
              {source.mapping.map(({ to }) => to).join(", ")}
            </dd>
          </>
        )}
        <dt>Backlog</dt>
        <dd data-testid="source-lag">
          {source.lag === null ? "unknown until it connects" : counted(source.lag)}
        </dd>
        {source.missed > 0 && (
          <>
            <dt>Missed</dt>
            <dd className="bad">{counted(source.missed)}: dropped by the source before they were read</dd>
          </>
        )}
      </dl>
    </>
  );
}

interface Props {
  stream: Stream;
  source: Source | null;
  changed: () => void;
}

/** From where a stream is fed beside its door. */
export function SourceCard({ stream, source, changed }: Props) {
  const [editing, setEditing] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const mine = may("edit", stream);
  if (source === null && !mine) return null;
  const act = (doing: Promise<unknown>) => {
    setFailure(null);
    doing.then(changed, (error: unknown) => setFailure(describeError(error)));
  };
  const done = () => {
    setEditing(false);
    changed();
  };
  return (
    <section className="card" data-testid="source">
      <div className="row spread">
        <h2>Source</h2>
        {!editing && (
          <div className="row">
            {source !== null && may("operate", stream) && (
              <button
                type="button"
                data-testid="pause-source"
                onClick={() => act(streamApi.pauseSource(stream.name, !source.paused))}
              >
                {source.paused ? "Resume" : "Pause"}
              </button>
            )}
            {source !== null && mine && (
              <button type="button" onClick={() => act(streamApi.removeSource(stream.name))}>
                Disconnect
              </button>
            )}
            {mine && (
              <button type="button" data-testid="edit-source" onClick={() => setEditing(true)}>
                {source === null ? "Connect a source" : "Edit"}
              </button>
            )}
          </div>
        )}
      </div>
      <Failure words={failure} />
      {source === null && !editing && <p className="faint">Events come through the API only.</p>}
      {source !== null && !editing && <Told source={source} />}
      {editing && (
        <SourceForm name={stream.name} source={source} close={() => setEditing(false)} done={done} />
      )}
    </section>
  );
}
