import { formatMoment } from "../core/time/format";
import { capitalize, toneOfIncident } from "./alertState";
import type { Incident } from "./calls";
import { formatDuration, formatEnd, formatStart } from "./span";

const title = (us: number | null): string | undefined => (us === null ? undefined : formatMoment(us));

function IncidentRow({ incident, now }: { incident: Incident; now: number }) {
  const { id, key, state, start, end, acknowledged_by: by, assignee } = incident;
  return (
    <tr data-testid={`incident-${id}`}>
      <td>
        <a href={`/incidents/${id}/`}>{key === "" ? "(empty key)" : key}</a>
      </td>
      <td className="nowrap">
        <span className={`dot ${toneOfIncident(incident)}`} aria-hidden="true" /> {capitalize(state)}
      </td>
      <td className="nowrap" title={title(start)}>
        {formatStart(start)}
      </td>
      <td className="nowrap wide" title={title(end)}>
        {formatEnd(end)}
      </td>
      <td className="nowrap wide">{formatDuration(incident, now)}</td>
      <td className="wide">
        {by !== null && `Acknowledged by ${by}`}
        {assignee !== null && <small className="faint">assigned to {assignee}</small>}
      </td>
    </tr>
  );
}

interface Props {
  incidents: readonly Incident[];
  /** By which open incidents have lasted, microseconds. */
  now: number;
}

export function IncidentTable({ incidents, now }: Props) {
  return (
    <table data-testid="incidents">
      <thead>
        <tr>
          <th>Key</th>
          <th>State</th>
          <th>Since</th>
          <th className="wide">Until</th>
          <th className="wide">Duration</th>
          <th className="wide">Taken care of</th>
        </tr>
      </thead>
      <tbody>
        {incidents.map((incident) => (
          <IncidentRow key={incident.id} incident={incident} now={now} />
        ))}
      </tbody>
    </table>
  );
}
