import type { ReactNode } from "react";
import { may } from "../core/api/rights";
import type { RowCheckboxes } from "../core/search/SelectedRows";
import { Owner } from "../core/search/ListTools";
import { formatInstant, formatMoment } from "../core/time/format";
import { MoreButton, onMenu } from "../core/ui/ContextMenu";
import { rowGroups } from "../core/ui/linkItems";
import { toneOfAlert } from "./alertState";
import type { Alert } from "./calls";
import { FlappingChip } from "./FlappingChip";
import { SeverityChip } from "./SeverityChip";
import { SilenceChips } from "./SilenceChips";

interface RowProps {
  alert: Alert;
  /** Undefined where it is not one's own. */
  remove: (() => void) | undefined;
  box: ReactNode;
}

/** Since when the first of its incidents fires. */
function Since({ alert: { firing, firing_since: since } }: Pick<RowProps, "alert">) {
  if (firing === 0) return <span className="faint">–</span>;
  return since === null ? "since ever" : <span title={formatMoment(since)}>{formatInstant(since)}</span>;
}

function AlertRow({ alert, remove, box }: RowProps) {
  const menu = { title: `Actions of ${alert.name}`, groups: rowGroups(`/alerts/${alert.id}/`, remove) };
  return (
    <tr data-testid={`alert-${alert.id}`} onContextMenu={onMenu(menu)}>
      {box}
      <td>
        <a href={`/alerts/${alert.id}/`}>{alert.name}</a>
        <small className="faint">
          {alert.node} in {alert.plan_name}
        </small>
      </td>
      <td>
        <SeverityChip severity={alert.severity} />
      </td>
      <td className="nowrap wide">
        <Owner thing={alert} />
      </td>
      <td>
        <span className={`dot ${toneOfAlert(alert)}`} aria-hidden="true" /> {alert.words}
        <FlappingChip flapping={alert.flapping} />
        <SilenceChips silences={alert.silences.slice(0, 1)} />
      </td>
      <td className="nowrap wide">
        <Since alert={alert} />
      </td>
      <td className="actions">
        <MoreButton {...menu} />
      </td>
    </tr>
  );
}

interface TableProps {
  alerts: readonly Alert[];
  remove: (alert: Alert) => void;
  boxes: RowCheckboxes<Alert>;
}

export function AlertTable({ alerts, remove, boxes }: TableProps) {
  return (
    <table data-testid="alerts">
      <thead>
        <tr>
          {boxes.head}
          <th>Alert</th>
          <th>Severity</th>
          <th className="wide">Owner</th>
          <th>State</th>
          <th className="wide">Firing since</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => (
          <AlertRow
            key={alert.id}
            alert={alert}
            box={boxes.of(alert)}
            remove={may("own", alert) ? () => remove(alert) : undefined}
          />
        ))}
      </tbody>
    </table>
  );
}
