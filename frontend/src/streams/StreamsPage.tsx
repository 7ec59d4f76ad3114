import type { ReactNode } from "react";
import { refusesMaking } from "../core/api/rights";
import type { Me, Stream } from "../core/api/types";
import { MoreButton, onMenu } from "../core/ui/ContextMenu";
import { rowGroups } from "../core/ui/linkItems";
import type { RowCheckboxes } from "../core/search/SelectedRows";
import { ListPage } from "../core/shell/ListPage";
import { Owner } from "../core/search/ListTools";
import { listOf, useListing } from "../core/search/useListing";
import { useQuery } from "../core/search/useQuery";
import { useTitle } from "../core/ui/useTitle";
import { formatMoment } from "../core/time/format";
import { TrashCard } from "./TrashCard";

function Row({ stream, box }: { stream: Stream; box: ReactNode }) {
  const fields = Object.keys(stream.fields);
  const menu = { title: `Actions of ${stream.name}`, groups: rowGroups(`/streams/${stream.name}/`) };
  return (
    <tr data-testid={`stream-${stream.name}`} onContextMenu={onMenu(menu)}>
      {box}
      <td>
        <a href={`/streams/${stream.name}/`}>{stream.name}</a>
      </td>
      <td className="nowrap">
        <Owner thing={stream} />
      </td>
      <td className="code wide">{stream.key}</td>
      <td className="cut wide" title={fields.join(", ")}>
        {fields.join(", ") || "–"}
      </td>
      <td className="number">{stream.events.toLocaleString("en")}</td>
      <td className="nowrap wide">{formatMoment(stream.last_event_at)}</td>
      <td className="actions">
        <MoreButton {...menu} />
      </td>
    </tr>
  );
}

function Empty({ looks }: { looks: string | null }) {
  return (
    <section className="card empty">
      <h2>No streams yet</h2>
      <p>
        A stream is an unbounded collection of events, such as reports of players, cards or machines. Paste a
        few events to detect its settings, then push more.
      </p>
      {looks === null ? (
        <a className="button primary" href="/streams/declare-new/">
          Declare a stream
        </a>
      ) : (
        <p className="faint">{looks}</p>
      )}
    </section>
  );
}

function Table({ streams, boxes }: { streams: readonly Stream[]; boxes: RowCheckboxes<Stream> }) {
  return (
    <table data-testid="streams">
      <thead>
        <tr>
          {boxes.head}
          <th>Stream</th>
          <th>Owner</th>
          <th className="wide">Key</th>
          <th className="wide">Fields</th>
          <th className="number">Events</th>
          <th className="wide">Last event</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {streams.map((stream) => (
          <Row key={stream.name} stream={stream} box={boxes.of(stream)} />
        ))}
      </tbody>
    </table>
  );
}

const button = (
  <a className="button primary" href="/streams/declare-new/" data-testid="new-stream">
    Declare a stream
  </a>
);

export function StreamsPage({ me }: { me: Me | null }) {
  useTitle("Streams");
  const query = useQuery();
  const looks = refusesMaking(me);
  const listing = useListing<Stream>(listOf("/api/streams/", { q: query.asked }));
  return (
    <ListPage
      me={me}
      kind="stream"
      query={query}
      listing={listing}
      buttons={looks === null && button}
      empty={<Empty looks={looks} />}
      idOf={(stream) => stream.name}
      nameOf={(stream) => stream.name}
      table={(streams, boxes) => <Table streams={streams} boxes={boxes} />}
    >
      {looks === null && <TrashCard changed={listing.again} />}
    </ListPage>
  );
}
