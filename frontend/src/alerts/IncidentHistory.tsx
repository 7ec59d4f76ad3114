import { formatMoment } from "../core/time/format";
import type { IncidentWithHistory } from "./calls";
import { listHistory, type HistoryEntry } from "./history";

function Entry({ entry: { at, words, author, text, isCorrection } }: { entry: HistoryEntry }) {
  const tone = author !== null ? "none" : isCorrection ? "amber" : "grey";
  return (
    <li data-testid={author === null ? "incident-change" : "incident-note"}>
      <span className={`dot ${tone}`} aria-hidden="true" />
      <span>
        {author !== null && <b>{author}</b>} {words}
      </span>
      {text !== "" && <p className="comment">{text}</p>}
      <small className="faint">
        {author === null ? "known at " : ""}
        {formatMoment(at)}
        {isCorrection && " · correction"}
      </small>
    </li>
  );
}

/** What happened to an incident, the newest first. */
export function IncidentHistory({ incident }: { incident: IncidentWithHistory }) {
  return (
    <section className="card">
      <h2>History</h2>
      <ol className="history" data-testid="incident-history">
        {listHistory(incident)
          .toReversed()
          .map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
      </ol>
    </section>
  );
}
