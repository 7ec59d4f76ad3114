import { useCallback } from "react";
import { api, read } from "../core/api/client";
import { Owner } from "../core/search/ListTools";
import { formatInstant, microsOf } from "../core/time/format";
import { formatCounted } from "../core/ui/format";
import { useLoaded } from "../core/ui/useLoaded";
import { POLICIES, toneOfAlert } from "./alertState";
import { channelApi, type Alert, type Channel } from "./calls";
import { toneOfChannel } from "./channelState";
import { FlappingChip } from "./FlappingChip";
import { describeFlapping } from "./flapping";
import { describeRule } from "./rule";
import { SeverityChip } from "./SeverityChip";
import { SilenceChips } from "./SilenceChips";

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

/** Which channels it notifies, and whether messages get through. */
function ChannelNames({ alert: { channels } }: { alert: Alert }) {
  const fetch = useCallback(() => read<{ results: Channel[] }>(channelApi.address(200)), []);
  const { value } = useLoaded(fetch);
  if (channels.length === 0) return <span className="faint">nobody</span>;
  const seen = value?.results.filter(({ id }) => channels.includes(id)) ?? [];
  const hidden = channels.length - seen.length;
  return (
    <span className="row" data-testid="alert-notifies">
      {seen.map((one) => (
        <a key={one.id} href="/channels/" title={one.words}>
          <span className={`dot ${toneOfChannel(one)}`} aria-hidden="true" /> {one.name}
          {one.failing_since !== null && (
            <small className="bad"> failing since {formatInstant(microsOf(one.failing_since))}</small>
          )}
        </a>
      ))}
      {value && hidden > 0 && <span className="faint">{formatCounted(hidden, "other channels")}</span>}
    </span>
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
        <FlappingChip flapping={alert.flapping} />
        <SilenceChips silences={alert.silences} />
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
        <dd>
          <ChannelNames alert={alert} />
        </dd>
        <dt>When</dt>
        <dd>{POLICIES[alert.policy]}</dd>
        <dt>Flapping</dt>
        <dd>{describeFlapping(alert)}</dd>
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
