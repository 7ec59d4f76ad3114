import { useCallback, useEffect, type ReactNode } from "react";
import { api } from "../../core/api/client";
import type { Backlog, NodeUser, Rates } from "../../core/api/types";
import { useLostAt } from "../../core/socket/useConnection";
import { AsOf } from "../../core/ui/AsOf";
import { useLoaded } from "../../core/ui/useLoaded";
import { formatMoment } from "../../core/time/format";
import {
  formatBatchTime,
  formatLength,
  formatPace,
  formatRate,
  readOf,
  formatSize,
} from "../../core/ui/format";
import { selectGroupedNodes } from "../../core/graph/kinds";
import { useLanes } from "../../live/store";
import { findRunningNode, statusOf } from "../../plans/editor/runningNodes";
import { documentOf, useStudio } from "../../plans/editor/store";
import { Failure } from "../../core/ui/Failure";

const AGAIN_AFTER_MS = 5000;

/** The node as the server tells it, asked anew every few seconds while the page is seen. */
function useDetail(digest: string) {
  const fetch = useCallback(() => api.node(digest), [digest]);
  const { value, failure, again } = useLoaded(fetch);
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!document.hidden) again();
    }, AGAIN_AFTER_MS);
    return () => window.clearInterval(timer);
  }, [again]);
  return { detail: value, failure };
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </>
  );
}

function User({ user }: { user: NodeUser }) {
  return (
    <li>
      {user.plan === null ? user.plan_name : <a href={`/plans/${user.plan}/`}>{user.plan_name}</a>}
      {user.name !== "" && ` as ${user.name}`}
      <span className="faint"> · {user.owner}</span>
    </li>
  );
}

const count = (n: number | undefined): string => (n ?? 0).toLocaleString("en");

const ONE = { events: "event", batches: "batch" } as const;

/** How fast it is, what waits, what it keeps. */
function Speed({ rates, backlog }: { rates: Partial<Rates>; backlog: Backlog | null }) {
  const { lag = 0, lag_of: of = "events", batch_ms: batch = 0, state_rows: pages = 0 } = rates;
  const left = backlog?.seconds_left;
  return (
    <>
      <Fact title="Input rate">
        {formatRate(rates.events_per_second ?? 0)} {readOf(of)}/s
      </Fact>
      <Fact title="Processing rate">{formatPace(rates.processed_per_second ?? 0, of)}</Fact>
      <Fact title="Batch time">{formatBatchTime(batch)}</Fact>
      <Fact title="Queue">
        {count(lag)} {lag === 1 ? ONE[of] : of}
      </Fact>
      {backlog && (
        <Fact title="Caught up">
          {Math.floor(backlog.done * 100)} %{left != null && `, ${formatLength(left * 1_000_000)} left`}
        </Fact>
      )}
      <Fact title="State">
        {formatSize(rates.state_bytes ?? 0)} in {count(pages)} pages
      </Fact>
    </>
  );
}

/** The key that is pinned for a node, for the address of its page. */
function usePinnedQuery(name: string): string {
  const key = useLanes((state) => state.key);
  const group = useLanes((state) => state.group);
  const grouped = useStudio((state) => selectGroupedNodes(documentOf(state), state.operators).has(name));
  const pinned = grouped ? group : key;
  return pinned === "" ? "" : `?${new URLSearchParams({ key: pinned })}`;
}

/** One computation may serve many plans: who uses it, and how it does. What is live goes before what was asked. */
function Facts({ name, digest }: { name: string; digest: string }) {
  const { detail, failure } = useDetail(digest);
  const pinned = usePinnedQuery(name);
  const lostAt = useLostAt();
  const nodeStatus = useStudio((state) => statusOf(state, name));
  const live = nodeStatus?.digest === digest ? nodeStatus : undefined;
  if (!detail) return failure ? <p className="bad">{failure}</p> : <p className="faint">Loading.</p>;
  const { status, users } = detail;
  const { events, late, too_late: tooLate, duplicates } = live?.counters ?? detail.counters;
  const error = live ? live.error : status.error;
  return (
    <>
      <AsOf lostAt={lostAt} />
      <dl>
        <Fact title="Status">{live?.words || status.words || status.observed}</Fact>
        {live?.trouble && (
          <Fact title="Problem">
            <b className="bad">{live.trouble}</b> {live.hint}
          </Fact>
        )}
        {error && (
          <Fact title="Error">
            <span className="bad">{error}</span>
          </Fact>
        )}
        {status.mended && <Fact title="Recovered">{status.mended}</Fact>}
        <Speed
          rates={live?.rates ?? detail.rates}
          backlog={live ? (live.backlog ?? null) : (detail.backlog ?? null)}
        />
        <Fact title="Owner">{detail.owner}</Fact>
        <Fact title="Events">{count(events)}</Fact>
        <Fact title="Late">{count(late)}</Fact>
        <Fact title="Too late">{count(tooLate)}</Fact>
        <Fact title="Duplicates">{count(duplicates)}</Fact>
        <Fact title="Final until">{formatMoment(live?.final_until ?? detail.final_until)}</Fact>
        <Fact title="Restarts">{count(status.restarts)}</Fact>
      </dl>
      <h3>{users.length === 1 ? "Used by 1 plan node" : `Used by ${users.length} plan nodes`}</h3>
      <ul>
        {users.map((user) => (
          <User key={`${user.plan}.${user.name}`} user={user} />
        ))}
      </ul>
      <p>
        <a href={`/nodes/${digest}/${pinned}`} data-testid="node-link">
          Node page
        </a>
        {" · "}
        <a href={`/nodes/${digest}/#sinks`} data-testid="node-sinks-link">
          Sinks
        </a>
      </p>
      <Failure words={failure} />
    </>
  );
}

/** What is known of the selected node's computation, while its plan runs. */
export function RunningNode({ name }: { name: string }) {
  const digest = useStudio((state) => findRunningNode(state, name)?.digest);
  if (digest === undefined) return null;
  return (
    <section className="facts" data-testid="running-node" aria-label="Running">
      <Facts key={digest} name={name} digest={digest} />
    </section>
  );
}
