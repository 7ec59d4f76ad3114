import { useCallback } from "react";
import { read } from "../core/api/client";
import { listOf } from "../core/search/useListing";
import { useLoaded } from "../core/ui/useLoaded";
import type { Incident, IncidentWithHistory } from "./calls";
import { IncidentTable } from "./IncidentTable";
import { useNow } from "./useNow";

const MOST = 100;
const MOST_SHOWN = 10;

/** Whether two spans have a moment in common. */
const overlap = (one: Incident, other: Incident): boolean =>
  (one.start ?? -Infinity) < (other.end ?? Infinity) && (other.start ?? -Infinity) < (one.end ?? Infinity);

/** Incidents of the same key, of this alert and others, during this one. */
export function RelatedIncidents({ incident }: { incident: IncidentWithHistory }) {
  const { id, key } = incident;
  const fetch = useCallback(
    () => read<{ results: Incident[] }>(listOf("/api/incidents/", { key }, MOST)),
    [key],
  );
  const { value } = useLoaded(fetch);
  const now = useNow();
  const related = value?.results.filter((one) => one.id !== id && overlap(one, incident)) ?? [];
  if (related.length === 0) return null;
  return (
    <section className="card" data-testid="related-incidents">
      <h2>Same key, at the same time</h2>
      <div className="list-table">
        <IncidentTable incidents={related.slice(0, MOST_SHOWN)} now={now} hasAlerts />
      </div>
    </section>
  );
}
