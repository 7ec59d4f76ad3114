import { operationsApi, type OperatedQuery, type Operations } from "../core/api/operations";
import type { Me } from "../core/api/types";
import { ActivityList } from "../core/sharing/Activity";
import "../core/sharing/people.css";
import { Header } from "../core/shell/Header";
import { formatMoment } from "../core/time/format";
import { Failure } from "../core/ui/Failure";
import { formatBatchTime, formatLength, formatRate, formatSize } from "../core/ui/format";
import { Loading } from "../core/ui/Loading";
import { tone } from "../core/ui/tone";
import { usePolled } from "../core/ui/usePolled";
import { useTitle } from "../core/ui/useTitle";
import "./operations.css";

const EVERY_MS = 5000;
const HISTORY = `/api/audit/?${new URLSearchParams({ kind: "node", actor: "the system" })}`;

const partTone = ({ ready, degraded }: Operations["parts"][number]): string =>
  ready ? (degraded ? "amber" : "green") : "red";

function Parts({ status }: { status: Operations }) {
  return (
    <section className="card" data-testid="operations-parts">
      <h2>Health</h2>
      <ul className="operations-parts">
        {status.parts.map((part) => (
          <li key={part.name}>
            <span className={`dot ${partTone(part)}`} aria-hidden="true" /> <b>{part.name}</b> {part.word}
            {part.word !== "ok" && (
              <small className="faint">
                {part.detail}
                <br />
                {part.hint}
              </small>
            )}
          </li>
        ))}
      </ul>
      <p className="faint">
        {status.processes.map(({ name, silent_seconds }) => (
          <span key={name} className="operations-process">
            {name} active {formatLength(silent_seconds * 1_000_000)} ago
          </span>
        ))}
        <span className="operations-process">database {formatSize(status.database_bytes)}</span>
        <span className="operations-process">state {formatSize(status.state_bytes)}</span>
      </p>
    </section>
  );
}

function Nodes({ query }: { query: OperatedQuery }) {
  return (
    <>
      {query.nodes.map(({ digest, name, failure }, place) => (
        <span key={digest} title={failure || undefined}>
          {place > 0 && ", "}
          <a href={`/nodes/${digest}/`}>{name}</a>
          {failure !== "" && <small className="bad"> given up</small>}
        </span>
      ))}
    </>
  );
}

function Row({ query }: { query: OperatedQuery }) {
  return (
    <tr data-testid={`query-${query.name}`}>
      <td className="operations-nodes">
        <Nodes query={query} />
      </td>
      <td>{query.owners.join(", ")}</td>
      <td>
        <span className={`dot ${tone(query.observed)}`} aria-hidden="true" /> {query.words}
        {query.trouble !== "" && <small className="bad">{query.trouble}</small>}
        {query.hint !== "" && <small className="faint">{query.hint}</small>}
        {query.error !== "" && (
          <details>
            <summary>Technical details</summary>
            <pre>{query.error}</pre>
          </details>
        )}
      </td>
      <td className="number">{query.lag.toLocaleString("en")}</td>
      <td className="number nowrap">{formatRate(query.events_per_second)}</td>
      <td className="number nowrap">{formatBatchTime(query.batch_ms)}</td>
      <td className="number nowrap">{formatSize(query.state_bytes)}</td>
      <td className="number">{query.restarts}</td>
      <td className="nowrap">{formatMoment(query.last_progress)}</td>
      <td className="actions">
        <a href={`/admin/web/query/${query.number}/change/`} aria-label={`Query ${query.name} in the admin`}>
          Admin
        </a>
      </td>
    </tr>
  );
}

function Queries({ queries }: { queries: readonly OperatedQuery[] }) {
  return (
    <section className="card" data-testid="operations-queries">
      <h2>Queries</h2>
      {queries.length === 0 ? (
        <p className="faint">No query runs. Run a plan to start one.</p>
      ) : (
        <div className="scroll" role="region" aria-label="Queries" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>Nodes</th>
                <th>Owner</th>
                <th>State</th>
                <th className="number">Lag</th>
                <th className="number">Events/s</th>
                <th className="number">Batch</th>
                <th className="number">State size</th>
                <th className="number">Restarts</th>
                <th>Last progress</th>
                <th aria-label="Actions" />
              </tr>
            </thead>
            <tbody>
              {queries.map((query) => (
                <Row key={query.name} query={query} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** For those who run the product: health, queries with their nodes and owners, and what went wrong. */
export function OperationsPage({ me }: { me: Me | null }) {
  useTitle("Operations");
  const { value: told, failure } = usePolled(operationsApi.operations, EVERY_MS);
  return (
    <>
      <Header me={me} here="operations" />
      <main className="page wide">
        <div className="row spread">
          <h1>Operations</h1>
          <div className="row">
            <a className="button" href="/storage/">
              Storage
            </a>
            <a className="button" href="/admin/">
              All tables
            </a>
          </div>
        </div>
        <Failure words={failure} />
        {told === null && failure === null && <Loading what="how the product runs" />}
        {told && (
          <>
            <Parts status={told} />
            <Queries queries={told.queries} />
            <section className="card" data-testid="operations-history">
              <h2>History</h2>
              <p className="faint">Failures, restarts, recoveries and removals of nodes.</p>
              <ActivityList address={HISTORY} named />
            </section>
          </>
        )}
      </main>
    </>
  );
}
