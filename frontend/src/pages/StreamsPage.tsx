import { useState } from "react";
import { api } from "../api/client";
import type { Me, Stream } from "../api/types";
import { Header } from "../ui/Header";
import { useLoaded } from "../ui/useLoaded";
import { moment } from "../ui/words";
import { PushExample } from "./PushExample";
import { StreamForm } from "./StreamForm";

function declared(stream: Stream): string {
  const fields = Object.entries(stream.fields).map(([name, type]) => `${name} (${type})`);
  return fields.length > 0 ? fields.join(", ") : "none declared, all are text";
}

function Declaration({ stream }: { stream: Stream }) {
  const seen = stream.seen_fields.filter((name) => !(name in stream.fields));
  return (
    <dl className="declaration">
      <dt>Key</dt>
      <dd className="code">{stream.key}</dd>
      <dt>Time</dt>
      <dd className="code">
        {stream.time} ({stream.unit})
      </dd>
      <dt>Id</dt>
      <dd className="code">{stream.id ?? "none: every delivered event counts once"}</dd>
      <dt>Fields</dt>
      <dd>{declared(stream)}</dd>
      {seen.length > 0 && (
        <>
          <dt>Also seen</dt>
          <dd>{seen.join(", ")}</dd>
        </>
      )}
      <dt>Lateness</dt>
      <dd>
        {stream.allowed_lateness}, retention {stream.retention}
      </dd>
    </dl>
  );
}

function StreamCard({ stream }: { stream: Stream }) {
  const [open, setOpen] = useState(false);
  return (
    <article className="card" data-testid={`stream-${stream.name}`}>
      <div className="row spread">
        <h2>{stream.name}</h2>
        <span className="faint">{stream.owner}</span>
      </div>
      <p>
        <b>{stream.events.toLocaleString("en")}</b> events taken · last event {moment(stream.last_event_at)}
      </p>
      <Declaration stream={stream} />
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Hide how to push events" : "How to push events"}
      </button>
      {open && <PushExample stream={stream} />}
    </article>
  );
}

export function StreamsPage({ me }: { me: Me | null }) {
  const { value: streams, failure, again } = useLoaded(api.streams);
  const [declaring, setDeclaring] = useState(false);
  const done = () => {
    setDeclaring(false);
    again();
  };
  return (
    <>
      <Header me={me} here="streams" />
      <main className="page">
        <div className="row spread">
          <h1>Streams</h1>
          <button
            type="button"
            className="primary"
            data-testid="new-stream"
            onClick={() => setDeclaring(true)}
          >
            Declare a stream
          </button>
        </div>
        {failure && <p className="bad">{failure}</p>}
        {declaring && <StreamForm done={done} cancel={() => setDeclaring(false)} />}
        {streams?.length === 0 && !declaring && (
          <p className="faint">There are no streams yet. Declare one, then push events to it.</p>
        )}
        <div className="cards">
          {streams?.map((stream) => (
            <StreamCard key={stream.name} stream={stream} />
          ))}
        </div>
      </main>
    </>
  );
}
