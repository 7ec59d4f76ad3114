import { selectRunningNodes } from "../editor/runningNodes";
import { showNode } from "../editor/edits";
import { useStudio } from "../editor/store";
import { tone } from "../../core/ui/tone";
import { formatAsOfShort } from "../../core/ui/freshnessWords";
import { useLostAt } from "../../core/socket/useConnection";
import { AsOf } from "../../core/ui/AsOf";
import { rowsOf, summaryOf, type Row } from "./progress";

function Trouble({ row }: { row: Row }) {
  if (row.trouble === "") return null;
  return (
    <div className="trouble">
      <p>
        <b className="bad">{row.trouble}</b> {row.hint}
      </p>
      <details>
        <summary>Reported problem</summary>
        <code>{row.error}</code>
      </details>
    </div>
  );
}

function NodeRow({ row, lost }: { row: Row; lost: boolean }) {
  return (
    <li data-testid={`running-${row.name}`} data-status={row.observed}>
      <button type="button" title={`Show ${row.name}`} onClick={() => showNode(row.name)}>
        <span className={`dot ${tone(row.observed, lost)}`} aria-hidden="true" />
        <b>{row.name}</b>
        {row.as !== row.name && <span className="faint">{row.as} until applied</span>}
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

/** All nodes of a running plan with their states, what needs a person first; a row leads to its node. Cut off, it says as of when. */
export function Running() {
  const plan = useStudio((state) => state.plan);
  const statuses = useStudio((state) => state.statuses);
  const drawn = useStudio((state) => selectRunningNodes(state).drawn);
  const lostAt = useLostAt();
  if (!plan?.running) return null;
  const rows = rowsOf(plan.nodes, statuses, drawn);
  const summary = [lostAt === null ? "" : formatAsOfShort(lostAt), summaryOf(rows)];
  return (
    <section className="running" data-testid="running" aria-label="Running nodes">
      <details open>
        <summary>
          <b>Running</b> <span className="faint">{summary.filter(Boolean).join(" · ")}</span>
        </summary>
        <AsOf lostAt={lostAt} />
        <ul>
          {rows.map((row) => (
            <NodeRow key={row.name} row={row} lost={lostAt !== null} />
          ))}
        </ul>
      </details>
    </section>
  );
}
