import "../core/sharing/people.css";
import { useCallback, useState, type ComponentType } from "react";
import { describeError } from "../core/api/client";
import { may } from "../core/api/rights";
import type { Me } from "../core/api/types";
import { Header } from "../core/shell/Header";
import { formatMoment, microsOf } from "../core/time/format";
import { Failure } from "../core/ui/Failure";
import { NotAvailable } from "../core/ui/NotAvailable";
import { Loading } from "../core/ui/Loading";
import { usePolled } from "../core/ui/usePolled";
import { useTitle } from "../core/ui/useTitle";
import { capitalize, toneOfIncident } from "./alertState";
import { AssignDialog } from "./AssignDialog";
import { alertApi, type Alert, type IncidentWithHistory } from "./calls";
import { CommentForm } from "./CommentForm";
import { FlappingChip } from "./FlappingChip";
import { incidentAsOf, readKnownAt } from "./frozen";
import { IncidentHistory } from "./IncidentHistory";
import { lanesAround } from "./lanesAround";
import { RelatedIncidents } from "./RelatedIncidents";
import { SeverityChip } from "./SeverityChip";
import { SilenceChips } from "./SilenceChips";
import { SilenceMenu } from "./SilenceMenu";
import { formatDuration } from "./span";
import { useAlertNews } from "./useAlertNews";

const AGAIN_MS = 5000;

/** What the lanes around an incident are drawn from; the app brings them. */
export interface IncidentLanesProps {
  alert: Alert;
  incident: IncidentWithHistory;
  /** Microseconds of the wall clock; null: now. */
  knownAt: number | null;
}

interface PartProps {
  alert: Alert;
  incident: IncidentWithHistory;
  again: () => void;
}

/** An incident, with its alert: what one may do with it depends on that. */
async function fetchBoth(id: number): Promise<Omit<PartProps, "again">> {
  const incident = await alertApi.incident(id);
  return { incident, alert: await alertApi.alert(incident.alert.id) };
}

function Buttons({ alert, incident, again }: PartProps) {
  const [isAssigning, setAssigning] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const operates = may("operate", alert);
  const refusal = operates ? undefined : "People who may run the plan take care of its incidents.";
  const isAcknowledged = incident.acknowledged_at !== null;
  const acknowledge = () => {
    setFailure(null);
    alertApi
      .acknowledge(incident.id, !isAcknowledged)
      .then(again, (error: unknown) => setFailure(describeError(error)));
  };
  const assigned = () => {
    setAssigning(false);
    again();
  };
  return (
    <span className="row">
      <Failure words={failure} />
      <button
        type="button"
        className={isAcknowledged ? "" : "primary"}
        data-testid="acknowledge"
        disabled={!operates}
        title={refusal}
        onClick={acknowledge}
      >
        {isAcknowledged ? "Take acknowledgement back" : "Acknowledge"}
      </button>
      <button
        type="button"
        data-testid="assign"
        disabled={!operates}
        title={refusal}
        onClick={() => setAssigning(true)}
      >
        Assign…
      </button>
      {operates && <SilenceMenu alert={alert} pattern={incident.key} again={again} />}
      {isAssigning && <AssignDialog incident={incident} close={() => setAssigning(false)} done={assigned} />}
    </span>
  );
}

function IncidentFacts({ alert, incident, knownAt }: IncidentLanesProps) {
  const [now] = useState(() => knownAt ?? Date.now() * 1000);
  const { key, start, end, acknowledged_by: by, acknowledged_at: at, assignee } = incident;
  const lanes = lanesAround(alert.plan, incident, now);
  const duration = formatDuration(incident, now);
  return (
    <section className="card" data-testid="incident-state">
      <p className="alert-head" role="status">
        <span>
          <span className={`dot ${toneOfIncident(incident)}`} aria-hidden="true" />{" "}
          <b>{capitalize(incident.state)}</b>
        </span>
        <SeverityChip severity={alert.severity} />
        {knownAt === null && (
          <>
            <FlappingChip flapping={incident.flapping} />
            <SilenceChips silences={incident.silences} />
          </>
        )}
      </p>
      <dl className="alert-facts">
        <dt>Alert</dt>
        <dd>
          <a href={`/alerts/${alert.id}/`}>{alert.name}</a>
        </dd>
        <dt>Key</dt>
        <dd>
          {key} · <a href={lanes}>Show its lanes</a>
        </dd>
        <dt>Since</dt>
        <dd>{start === null ? "since ever" : formatMoment(start)}</dd>
        <dt>Until</dt>
        <dd>{end === null ? "open" : formatMoment(end)}</dd>
        {duration !== "" && (
          <>
            <dt>Duration</dt>
            <dd>{duration}</dd>
          </>
        )}
        {knownAt === null && (
          <>
            <dt>Acknowledged</dt>
            <dd data-testid="acknowledged">
              {at === null ? "no" : `by ${by ?? "a former user"}, ${formatMoment(microsOf(at))}`}
            </dd>
            <dt>Assigned to</dt>
            <dd data-testid="assignee">{assignee ?? "nobody"}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** Says that the page is that of a moment, and leads back to now. */
function Frozen({ incident, knownAt }: { incident: number; knownAt: number }) {
  return (
    <p className="card" role="status" data-testid="incident-frozen">
      <span>
        As it was known at {formatMoment(knownAt)}.{" "}
        <a href={`/incidents/${incident}/`}>Show it as it is now</a>
      </span>
    </p>
  );
}

interface ShownProps extends PartProps {
  Lanes: ComponentType<IncidentLanesProps>;
}

/** As it was known at a moment: nothing can be done to that. */
function ShownThen({ alert, incident, knownAt, Lanes }: Omit<ShownProps, "again"> & { knownAt: number }) {
  const then = incidentAsOf(incident, knownAt);
  return (
    <>
      <h1>
        {alert.name}: {incident.key}
      </h1>
      <Frozen incident={incident.id} knownAt={knownAt} />
      {then === null ? (
        <p className="faint">Nobody knew of the incident then.</p>
      ) : (
        <>
          <IncidentFacts alert={alert} incident={then} knownAt={knownAt} />
          <Lanes alert={alert} incident={then} knownAt={knownAt} />
          <IncidentHistory incident={then} />
        </>
      )}
    </>
  );
}

function Shown({ alert, incident, again, Lanes }: ShownProps) {
  return (
    <>
      <div className="row spread">
        <h1>
          {alert.name}: {incident.key}
        </h1>
        <Buttons alert={alert} incident={incident} again={again} />
      </div>
      <IncidentFacts alert={alert} incident={incident} knownAt={null} />
      <Lanes alert={alert} incident={incident} knownAt={null} />
      {may("operate", alert) && (
        <section className="card">
          <CommentForm incident={incident.id} done={again} />
        </section>
      )}
      <RelatedIncidents incident={incident} />
      <IncidentHistory incident={incident} />
    </>
  );
}

interface PageProps extends Pick<ShownProps, "Lanes"> {
  me: Me | null;
  id: number;
}

/** One incident: its span, what changed it, and who takes care of it. */
export function IncidentPage({ me, id, Lanes }: PageProps) {
  const [knownAt] = useState(() => readKnownAt(window.location.search));
  const fetch = useCallback(() => fetchBoth(id), [id]);
  const { value, failure, gone, again } = usePolled(fetch, AGAIN_MS);
  useTitle(value === null ? "Incident" : `${value.alert.name}: ${value.incident.key}`);
  useAlertNews(value?.alert.id ?? null, again);
  return (
    <>
      <Header me={me} here="alerts" />
      {failure !== null && (value === null || gone) ? (
        <NotAvailable title="This incident cannot be shown" words={failure} link="/alerts/">
          All alerts
        </NotAvailable>
      ) : (
        <main className="page" data-testid="incident-page">
          <Failure words={failure} />
          {value === null && <Loading what="the incident" />}
          {value !== null &&
            (knownAt === null ? (
              <Shown {...value} again={again} Lanes={Lanes} />
            ) : (
              <ShownThen {...value} knownAt={knownAt} Lanes={Lanes} />
            ))}
        </main>
      )}
    </>
  );
}
