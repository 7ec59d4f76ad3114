import { useState } from "react";
import { api } from "../api/client";
import type { Me, Stream } from "../api/types";
import { Header } from "../ui/Header";
import { ListSearch } from "../ui/ListSearch";
import { fits } from "../ui/search";
import { useLoaded } from "../ui/useLoaded";
import { useTitle } from "../ui/useTitle";
import { moment } from "../ui/words";

function Row({ stream }: { stream: Stream }) {
  const fields = Object.keys(stream.fields);
  return (
    <tr data-testid={`stream-${stream.name}`}>
      <td>
        <a href={`/streams/${stream.name}/`}>{stream.name}</a>
      </td>
      <td className="nowrap">{stream.owner}</td>
      <td className="code">{stream.key}</td>
      <td className="cut" title={fields.join(", ")}>
        {fields.join(", ") || "–"}
      </td>
      <td className="number">{stream.events.toLocaleString("en")}</td>
      <td className="nowrap">{moment(stream.last_event_at)}</td>
    </tr>
  );
}

function Empty() {
  return (
    <section className="card empty">
      <h2>There are no streams yet</h2>
      <p>
        A stream is a collection of events that never ends: what players, cards or machines report. Paste a
        few of its events and what they are is guessed; then push more to it, and plans can read it.
      </p>
      <a className="button primary" href="/streams/declare-new/">
        Declare the first
      </a>
    </section>
  );
}

function Table({ streams }: { streams: Stream[] }) {
  return (
    <table data-testid="streams">
      <thead>
        <tr>
          <th>Stream</th>
          <th>Owner</th>
          <th>Key</th>
          <th>Fields</th>
          <th className="number">Events</th>
          <th>Last event</th>
        </tr>
      </thead>
      <tbody>
        {streams.map((stream) => (
          <Row key={stream.name} stream={stream} />
        ))}
      </tbody>
    </table>
  );
}

export function StreamsPage({ me }: { me: Me | null }) {
  useTitle("Streams");
  const { value: streams, failure } = useLoaded(api.streams);
  const [search, setSearch] = useState("");
  const found = streams?.filter((stream) => fits(stream, search, me)) ?? [];
  return (
    <>
      <Header me={me} here="streams" />
      <main className="page">
        <div className="row spread">
          <h1>Streams</h1>
          <a className="button primary" href="/streams/declare-new/" data-testid="new-stream">
            Declare a stream
          </a>
        </div>
        {failure && <p className="bad">{failure}</p>}
        {streams?.length === 0 && <Empty />}
        {streams && streams.length > 0 && <ListSearch what="streams" search={search} setSearch={setSearch} />}
        {found.length > 0 && <Table streams={found} />}
        {streams && streams.length > 0 && found.length === 0 && <p className="faint">No stream matches.</p>}
      </main>
    </>
  );
}
