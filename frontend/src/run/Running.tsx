import { showNode } from "../editor/edits";
import { useStudio } from "../editor/store";
import { tone } from "../editor/tone";
import { rowsOf, summaryOf, type Row } from "./progress";

function Trouble({ row }: { row: Row }) {
  if (row.trouble === "") return null;
  return (
    <div className="trouble">
      <p>
        <b className="bad">{row.trouble}</b> {row.cure}
      </p>
      <details>
        <summary>What Spark says</summary>
        <code>{row.error}</code>
      </details>
    </div>
  );
}

function NodeRow({ row }: { row: Row }) {
  return (
    <li data-testid={`running-${row.name}`} data-status={row.observed}>
      <button type="button" title={`Show ${row.name}`} onClick={() => showNode(row.name)}>
        <span className={`dot ${tone(row.observed)}`} aria-hidden="true" />
        <b>{row.name}</b>
        <span className="faint" title={row.words}>
          {row.words}
        </span>
      </button>
      {row.done !== null && (
        <div className="pace">
          <progress value={row.done} aria-label={`${row.name} has caught up`} />
          <span className="faint">{row.pace}</span>
        </div>
      )}
      <Trouble row={row} />
    </li>
  );
}

/** All nodes of a running plan with their states, what needs a person first; a row leads to its node. */
export function Running() {
  const plan = useStudio((state) => state.plan);
  const statuses = useStudio((state) => state.statuses);
  if (!plan?.running) return null;
  const rows = rowsOf(plan.nodes, statuses);
  return (
    <section className="running" data-testid="running" aria-label="Running nodes">
      <details open>
        <summary>
          <b>Running</b> <span className="faint">{summaryOf(rows)}</span>
        </summary>
        <ul>
          {rows.map((row) => (
            <NodeRow key={row.name} row={row} />
          ))}
        </ul>
      </details>
    </section>
  );
}
