import { formatMoment } from "../core/time/format";
import { capitalize, toneOfIncident } from "./alertState";
import type { Incident } from "./calls";
import { FlappingChip } from "./FlappingChip";
import { SeverityChip } from "./SeverityChip";
import { SilenceChips } from "./SilenceChips";
import { formatDuration, formatEnd, formatStart } from "./span";

const title = (us: number | null): string | undefined => (us === null ? undefined : formatMoment(us));

interface RowProps {
  incident: Incident;
  now: number;
  hasAlerts: boolean;
}

function IncidentRow({ incident, now, hasAlerts }: RowProps) {
  const { id, alert, silences, key, state, start, end, acknowledged_by: by, assignee } = incident;
  return (
    <tr data-testid={`incident-${id}`}>
      <td>
        <a href={`/incidents/${id}/`}>{key === "" ? "(empty key)" : key}</a>
        {hasAlerts && <small className="faint">{alert.name}</small>}
      </td>
      <td className="nowrap">
        <span className={`dot ${toneOfIncident(incident)}`} aria-hidden="true" /> {capitalize(state)}
      </td>
      {hasAlerts && (
        <td className="wide">
          <SeverityChip severity={alert.severity} />
        </td>
      )}
      <td className="nowrap" title={title(start)}>
        {formatStart(start)}
      </td>
      <td className="nowrap wide" title={title(end)}>
        {formatEnd(end)}
      </td>
      <td className="nowrap wide">{formatDuration(incident, now)}</td>
      <td className="wide">
        <FlappingChip flapping={incident.flapping} />
        <SilenceChips silences={silences.slice(0, 1)} />
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
  /** Whether they are of more than one alert. */
  hasAlerts?: boolean;
}

export function IncidentTable({ incidents, now, hasAlerts = false }: Props) {
  return (
    <table data-testid="incidents">
      <thead>
        <tr>
          <th>Key</th>
          <th>State</th>
          {hasAlerts && <th className="wide">Severity</th>}
          <th>Since</th>
          <th className="wide">Until</th>
          <th className="wide">Duration</th>
          <th className="wide">Taken care of</th>
        </tr>
      </thead>
      <tbody>
        {incidents.map((incident) => (
          <IncidentRow key={incident.id} incident={incident} now={now} hasAlerts={hasAlerts} />
        ))}
      </tbody>
    </table>
  );
}
