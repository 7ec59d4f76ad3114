import { formatMoment } from "../core/time/format";
import type { IncidentWithHistory } from "./calls";
import { frozenAddress } from "./frozen";
import { listHistory, type HistoryEntry } from "./history";

function Entry({ entry, incident }: { entry: HistoryEntry; incident: number }) {
  const { at, words, author, text, isCorrection } = entry;
  const tone = author !== null ? "none" : isCorrection ? "amber" : "grey";
  return (
    <li data-testid={author === null ? "incident-change" : "incident-note"}>
      <span className={`dot ${tone}`} aria-hidden="true" />
      <span>
        {author !== null && <b>{author}</b>} {words}
      </span>
      {text !== "" && <p className="comment">{text}</p>}
      <small className="faint">
        {author === null ? (
          <>
            known at <a href={frozenAddress(incident, at)}>{formatMoment(at)}</a>
          </>
        ) : (
          formatMoment(at)
        )}
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
            <Entry key={entry.id} entry={entry} incident={incident.id} />
          ))}
      </ol>
    </section>
  );
}
