/** Charts of incidents on dashboards. */
import "./tiles.css";
import { useCallback, type ReactNode } from "react";
import { read } from "../core/api/client";
import type { ChartDraft } from "../core/api/dashboards";
import type { Wire } from "../core/api/wire";
import { listOf } from "../core/search/useListing";
import { isRange, spellRange, windowOfRange } from "../core/time/range";
import { formatCounted, formatLength } from "../core/ui/format";
import { usePolled } from "../core/ui/usePolled";
import { capitalize, toneOfIncident } from "./alertState";
import { alertApi, type Incident } from "./calls";
import { formatDuration, formatStart } from "./span";
import { SilenceChips } from "./SilenceChips";
import { useAlertNews } from "./useAlertNews";
import { useNow } from "./useNow";

interface TileProps {
  chart: ChartDraft;
  range: string;
}

const AGAIN_MS = 10_000;
const MOST_LISTED = 50;
const MOST_KEYS = 200;

/** What `fetch` answers, again after each change of incidents. */
function useIncidentNews<T>(alert: number | null, fetch: () => Promise<T>) {
  const loaded = usePolled(fetch, AGAIN_MS);
  useAlertNews(alert, loaded.again);
  return loaded;
}

function Told({ failure, children }: { failure: string | null; children: ReactNode }) {
  return <p className={`tile-told ${failure === null ? "faint" : "bad"}`}>{failure ?? children}</p>;
}

const incidentsOf = (alert: number | null): string =>
  alert === null ? "/api/incidents/" : alertApi.incidentsAddress(alert);

type Page = { results: Incident[]; next: string | null };

function Row({ incident, now }: { incident: Incident; now: number }) {
  const { id, key, alert, start, state, silences, acknowledged_by: by } = incident;
  return (
    <li>
      <span className={`dot ${toneOfIncident(incident)}`} role="img" aria-label={state} />
      <a href={`/incidents/${id}/`} title={alert.name}>
        <b>{key === "" ? "(empty key)" : key}</b> <span className="faint">{alert.name}</span>
      </a>
      <SilenceChips silences={silences.slice(0, 1)} />
      {by !== null && <span className="faint tile-by">{by}</span>}
      <span className="tile-time" title={formatStart(start)}>
        {formatDuration(incident, now)}
      </span>
    </li>
  );
}

/** Incidents of one alert or all, the firing ones first. */
function IncidentsTile({ chart }: TileProps) {
  const { alert = null, severity, incident_state: state } = chart;
  const fetch = useCallback(
    () =>
      read<Page>(
        listOf(
          incidentsOf(alert),
          { severity: alert === null ? (severity ?? "") : "", state: state ?? "" },
          MOST_LISTED,
        ),
      ),
    [alert, severity, state],
  );
  const { value, failure } = useIncidentNews(alert, fetch);
  const now = useNow();
  if (value === null || value.results.length === 0)
    return <Told failure={failure}>{value === null ? "Loading." : "No incidents."}</Told>;
  return (
    <ul className="incident-tile" data-testid="incident-tile" tabIndex={0} aria-label="Incidents">
      {value.results.map((one) => (
        <Row key={one.id} incident={one} now={now} />
      ))}
      {value.next !== null && <li className="faint">First {MOST_LISTED} shown.</li>}
    </ul>
  );
}

/** The strongest incident of each key: the list has firing ones first, then the latest change. */
function strongest(incidents: readonly Incident[]): Incident[] {
  const found = new Map<string, Incident>();
  for (const incident of incidents)
    if (incident.state !== "retracted" && !found.has(incident.key)) found.set(incident.key, incident);
  return [...found.values()];
}

/** A cell for each key of an alert. */
function AlertKeysTile({ chart }: TileProps) {
  const { alert = null } = chart;
  const fetch = useCallback(
    () =>
      alert === null
        ? Promise.resolve<Page>({ results: [], next: null })
        : read<Page>(listOf(alertApi.incidentsAddress(alert), {}, MOST_KEYS)),
    [alert],
  );
  const { value, failure } = useIncidentNews(alert, fetch);
  const cells = strongest(value?.results ?? []);
  if (value === null || failure !== null || cells.length === 0)
    return <Told failure={failure}>{value === null ? "Loading." : "No incidents yet."}</Told>;
  return (
    <div className="cell-grid" data-testid="alert-cells" tabIndex={0} role="region" aria-label="Keys">
      {cells.map(({ id, key, state }) => (
        <a key={id} className={`alert-cell ${state}`} href={`/incidents/${id}/`} title={`${key}: ${state}`}>
          <b>{key}</b>
          <span>{capitalize(state)}</span>
        </a>
      ))}
    </div>
  );
}

type Summary = Wire<"IncidentsSummary">;

/** The mean time until incidents ended or were acknowledged, in the range of the dashboard. */
function RepairTile({ chart, range }: TileProps) {
  const { alert = null, severity, measure = "resolve" } = chart;
  const shown = isRange(range) ? range : "24h";
  const fetch = useCallback(() => {
    const { start, end } = windowOfRange(shown, Date.now() * 1000);
    const asked = new URLSearchParams({
      since: String(Math.floor(start)),
      until: String(Math.ceil(end)),
      ...(alert === null ? {} : { alert: String(alert) }),
      ...(severity ? { severity } : {}),
    });
    return read<Summary>(`/api/incidents/summary/?${asked}`);
  }, [alert, severity, shown]);
  const { value, failure } = useIncidentNews(alert, fetch);
  if (value === null) return <Told failure={failure}>Loading.</Told>;
  const isResolve = measure === "resolve";
  const mean = isResolve ? value.resolve_mean : value.acknowledge_mean;
  const words = mean === null ? "–" : formatLength(mean);
  const many = isResolve ? value.resolved : value.acknowledged;
  return (
    <div className="number-chart" data-testid="repair-tile">
      <p className="number-value" style={{ "--letters": Math.max(4, words.length) } as React.CSSProperties}>
        {words}
      </p>
      <p className="number-change faint">
        {formatCounted(many, "incidents")} {isResolve ? "resolved" : "acknowledged"}, {spellRange(shown)}
      </p>
    </div>
  );
}

export const ALERT_TILES = {
  incidents: IncidentsTile,
  alert_keys: AlertKeysTile,
  repair_time: RepairTile,
};
