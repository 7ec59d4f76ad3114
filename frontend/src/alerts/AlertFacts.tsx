import { useCallback } from "react";
import { api } from "../core/api/client";
import { Owner } from "../core/search/ListTools";
import { useLoaded } from "../core/ui/useLoaded";
import { POLICIES, toneOfAlert } from "./alertState";
import type { Alert } from "./calls";
import { describeRule } from "./rule";
import { SeverityChip } from "./SeverityChip";

/** What the node is set to; nothing where the plan may not be seen. */
function Rule({ alert: { plan, node } }: { alert: Alert }) {
  const fetch = useCallback(() => api.plan(plan), [plan]);
  const { value } = useLoaded(fetch);
  if (value === null) return null;
  return (
    <p data-testid="alert-rule">
      {describeRule(value.document, node) ?? `The plan has no node ${node} any more.`}
    </p>
  );
}

/** An address that leads somewhere; other texts are shown as they are. */
function Runbook({ text }: { text: string }) {
  return /^https?:\/\//.test(text) ? (
    <a href={text} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  ) : (
    <>{text}</>
  );
}

/** What the alert watches, how it is, and how it is set. */
export function AlertFacts({ alert }: { alert: Alert }) {
  const labels = Object.entries(alert.labels);
  return (
    <section className="card" data-testid="alert-state">
      <p className="alert-head" role="status">
        <span>
          <span className={`dot ${toneOfAlert(alert)}`} aria-hidden="true" /> <b>{alert.words}</b>
        </span>
        <SeverityChip severity={alert.severity} />
      </p>
      <Rule alert={alert} />
      <dl className="alert-facts">
        <dt>Plan</dt>
        <dd>
          <a href={`/plans/${alert.plan}/`}>{alert.plan_name}</a>
        </dd>
        <dt>Node</dt>
        <dd>{alert.digest === null ? alert.node : <a href={`/nodes/${alert.digest}/`}>{alert.node}</a>}</dd>
        <dt>Owner</dt>
        <dd>
          <Owner thing={alert} />
        </dd>
        <dt>Notifies</dt>
        <dd>{POLICIES[alert.policy]}</dd>
        {alert.runbook !== "" && (
          <>
            <dt>Runbook</dt>
            <dd>
              <Runbook text={alert.runbook} />
            </dd>
          </>
        )}
        {labels.length > 0 && (
          <>
            <dt>Labels</dt>
            <dd>{labels.map(([name, text]) => `${name}: ${text}`).join(", ")}</dd>
          </>
        )}
      </dl>
    </section>
  );
}
