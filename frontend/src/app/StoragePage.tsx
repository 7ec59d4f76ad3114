import { operationsApi, type Storage, type Stored } from "../core/api/operations";
import type { Me } from "../core/api/types";
import { Header } from "../core/shell/Header";
import { formatMoment, microsOf } from "../core/time/format";
import { Failure } from "../core/ui/Failure";
import { formatSize } from "../core/ui/format";
import { Loading } from "../core/ui/Loading";
import { useLoaded } from "../core/ui/useLoaded";
import { useTitle } from "../core/ui/useTitle";

const KINDS: Readonly<Record<Stored["kind"], string>> = {
  stream: "Streams",
  rejected: "Rejected events",
  trash: "Trash",
  results: "Results and state",
  sample: "Samples",
};

function Row({ stored }: { stored: Stored }) {
  return (
    <tr>
      <td>
        <a href={stored.link}>{stored.name}</a>
      </td>
      <td className="nowrap">{KINDS[stored.kind]}</td>
      <td>{stored.owner}</td>
      <td className="number nowrap">{formatSize(stored.bytes)}</td>
      <td className="number">{stored.count.toLocaleString("en")}</td>
      <td className="wide">{stored.why}</td>
      <td className="nowrap wide">{stored.until === null ? "–" : formatMoment(microsOf(stored.until))}</td>
    </tr>
  );
}

function Totals({ totals }: Pick<Storage, "totals">) {
  return (
    <dl className="declaration" data-testid="stored-totals">
      {totals.map(({ kind, bytes }) => (
        <div key={kind}>
          <dt>{KINDS[kind]}</dt>
          <dd>{formatSize(bytes)}</dd>
        </div>
      ))}
    </dl>
  );
}

const LIMITS: Readonly<Record<Storage["limits"][number]["kind"], string>> = {
  results: "Results, by event time",
  incidents: "Incidents, after their last change",
  unused: "Results that nothing uses",
  trash: "Deleted and emptied streams",
};

/** How long everything is kept that grows with time. */
function Limits({ limits }: Pick<Storage, "limits">) {
  return (
    <section className="card" aria-labelledby="kept-for">
      <h2 id="kept-for">How long things are kept</h2>
      <dl className="declaration" data-testid="kept-for">
        {limits.map(({ kind, setting, kept_for }) => (
          <div key={kind}>
            <dt title={setting}>{LIMITS[kind]}</dt>
            <dd>{kept_for}</dd>
          </div>
        ))}
      </dl>
      <p className="faint">Events are kept for the retention of their stream.</p>
    </section>
  );
}

/** Free space on the server, and what is refused where it is short. */
function Disk({ disk }: Pick<Storage, "disk">) {
  const words = `${formatSize(disk.free)} are free on the server's disk`;
  const refused = disk.refused === "" ? "" : `: ${disk.refused}`;
  if (disk.low)
    return <Failure words={`Only ${words}${refused}. Empty or delete what you no longer need.`} />;
  return <p className="faint">{words}.</p>;
}

function Table({ told }: { told: Storage }) {
  return (
    <div className="scroll" role="region" aria-label="What is stored" tabIndex={0}>
      <table data-testid="stored">
        <thead>
          <tr>
            <th>Name</th>
            <th>Kind</th>
            <th>Owner</th>
            <th className="number">Size</th>
            <th className="number">Events or keys</th>
            <th className="wide">Why it is kept</th>
            <th className="wide">Until</th>
          </tr>
        </thead>
        <tbody>
          {told.results.map((stored) => (
            <Row key={`${stored.kind} ${stored.owner} ${stored.name} ${stored.link}`} stored={stored} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Who uses how much, why and until when: of one's own, and for administrators of all. */
export function StoragePage({ me }: { me: Me | null }) {
  useTitle("Storage");
  const { value: told, failure } = useLoaded(operationsApi.storage);
  return (
    <>
      <Header me={me} here="storage" />
      <main className="page wide">
        <h1>Storage</h1>
        <p className="faint">
          {me?.role === "admin" ? "By all users." : "By you and your teams."} The largest first.
        </p>
        <Failure words={failure} />
        {told === null && failure === null && <Loading what="what is stored" />}
        {told && (
          <>
            <Disk disk={told.disk} />
            <section className="card">
              <Totals totals={told.totals} />
              {told.results.length === 0 ? <p className="faint">Nothing yet.</p> : <Table told={told} />}
              {told.more > 0 && <p className="faint">And {told.more.toLocaleString("en")} smaller ones.</p>}
            </section>
            <Limits limits={told.limits} />
          </>
        )}
      </main>
    </>
  );
}
