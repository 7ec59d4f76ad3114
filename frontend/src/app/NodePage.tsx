import { useCallback, useEffect, useState, type ReactNode } from "react";
import { api, describeError } from "../core/api/client";
import { may } from "../core/api/rights";
import type { Me, NodeDetail } from "../core/api/types";
import { tone } from "../core/ui/tone";
import { ActivityList } from "../core/sharing/Activity";
import { people } from "../core/sharing/calls";
import { ReasonField } from "../core/sharing/TransferDialog";
import { ThingDialogs, type ThingDialog } from "../core/sharing/ThingDialogs";
import { ownerRefusal, type SharedThing } from "../core/sharing/thing";
import { SinksCard } from "../sinks/SinksCard";
import { Dialog } from "../core/ui/Dialog";
import { NotAvailable } from "../core/ui/NotAvailable";
import { Guard } from "../core/ui/Guard";
import { Header } from "../core/shell/Header";
import { Loading } from "../core/ui/Loading";
import { useLoaded } from "../core/ui/useLoaded";
import { useTitle } from "../core/ui/useTitle";
import { formatMoment } from "../core/time/format";
import { formatBatchTime, formatPace, formatRate, readOf, formatSize } from "../core/ui/format";
import "../core/sharing/people.css";
import { NodeLanes } from "./NodeLanes";
import { NodeWarnings } from "../nodes/NodeWarnings";
import { describeInput, describeObserved } from "../nodes/nodeState";
import { nameOf } from "../nodes/nodeUsers";
import { DialogFoot } from "../core/ui/DialogFoot";

const AGAIN_MS = 3000;
const count = (n: number): string => n.toLocaleString("en");

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What is wanted of it, what was seen, and what is wrong, with what helps. */
function State({ node }: { node: NodeDetail }) {
  const { status } = node;
  return (
    <section className="card" data-testid="node-state">
      <h2>
        <span className={`dot ${tone(status.observed)}`} aria-hidden="true" />{" "}
        {status.words || status.observed}
      </h2>
      {status.trouble !== "" && (
        <p>
          <b className="bad">{status.trouble}</b> {status.hint}
        </p>
      )}
      <NodeWarnings warnings={node.warnings} />
      {status.error !== "" && (
        <details>
          <summary>Reported problem</summary>
          <pre className="code">{status.error}</pre>
        </details>
      )}
      {status.mended !== "" && <p>{status.mended}</p>}
      <dl className="node-facts">
        <Fact title="Desired">{status.desired}</Fact>
        <Fact title="Actual">{describeObserved(node)}</Fact>
        <Fact title="Newest input">{describeInput(node)}</Fact>
        <Fact title="Restarts used">{count(status.restarts)}</Fact>
        <Fact title="Spark query">
          <span className="code">{status.query_id === "" ? "none" : status.query_id}</span>
        </Fact>
        <Fact title="Final until">{formatMoment(node.final_until)}</Fact>
      </dl>
    </section>
  );
}

function Metrics({ node }: { node: NodeDetail }) {
  const { counters, rates, backlog } = node;
  return (
    <section className="card" data-testid="node-figures">
      <h2>Metrics</h2>
      <dl className="node-facts">
        <Fact title="Input rate">
          {formatRate(rates.events_per_second)} {readOf(rates.lag_of)}/s
        </Fact>
        <Fact title="Processing rate">{formatPace(rates.processed_per_second, rates.lag_of)}</Fact>
        <Fact title="Batch time">{formatBatchTime(rates.batch_ms)}</Fact>
        <Fact title="Queue">
          {count(rates.lag)} {rates.lag_of}
        </Fact>
        {backlog && <Fact title="Caught up">{Math.floor(backlog.done * 100)} %</Fact>}
        <Fact title="State">
          {formatSize(rates.state_bytes)} in {count(rates.state_rows)} pages
        </Fact>
        <Fact title="Events">{count(counters.events)}</Fact>
        <Fact title="Late">{count(counters.late)}</Fact>
        <Fact title="Too late">{count(counters.too_late)}</Fact>
        <Fact title="Duplicates">{count(counters.duplicates)}</Fact>
        <Fact title="Conflicts">{count(counters.conflicts)}</Fact>
        <Fact title="Revisions">{count(counters.revisions)}</Fact>
      </dl>
    </section>
  );
}

function Users({ node }: { node: NodeDetail }) {
  return (
    <section className="card" data-testid="node-users">
      <h2>Used by</h2>
      {node.users.length === 0 && <p className="faint">– (unused)</p>}
      <ul>
        {node.users.map(({ plan, plan_name, name, owner }, i) => (
          <li key={i}>
            {plan === null ? plan_name : <a href={`/plans/${plan}/`}>{plan_name}</a>}
            {name !== "" && ` as ${name}`} <span className="faint">of {owner}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ActProps {
  act: "restart" | "stop";
  node: NodeDetail;
  close: () => void;
  done: () => void;
}

const ACTS = {
  restart: {
    title: "Restart",
    words: "Its query restarts within seconds with a full restart budget. No results are lost.",
  },
  stop: { title: "Stop", words: "Stops all plans that use it, if all are yours." },
} as const;

function ActDialog({ act, node, close, done }: ActProps) {
  const { title, words } = ACTS[act];
  const [reason, setReason] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const go = () =>
    people.nodeAct(node.digest, act, reason).then(done, (error: unknown) => setFailure(describeError(error)));
  return (
    <Dialog title={`${title} “${nameOf(node)}”?`} close={close}>
      <div className="people-dialog">
        <p>{words}</p>
        <ReasonField value={reason} set={setReason} />
        <DialogFoot
          failure={failure}
          go={() => void go()}
          danger={act === "stop"}
          testid={`node-${act}-go`}
          close={close}
        >
          {title}
        </DialogFoot>
      </div>
    </Dialog>
  );
}

function Buttons({ node, again }: { node: NodeDetail; again: () => void }) {
  const [asked, setAsked] = useState<ThingDialog | "restart" | "stop" | null>(null);
  const close = () => setAsked(null);
  const thing: SharedThing = {
    kind: "node",
    name: nameOf(node),
    owner: node.owner,
    rights: node.rights,
    path: `/api/nodes/${node.digest}/`,
  };
  const operates = may("operate", node);
  const refusal = operates ? undefined : `${node.owner} owns it, and you may not run or stop it.`;
  const done = () => {
    close();
    again();
  };
  return (
    <span className="row">
      {(["restart", "stop"] as const).map((act) => (
        <button
          key={act}
          type="button"
          data-testid={`node-${act}`}
          disabled={!operates}
          title={refusal}
          onClick={() => setAsked(act)}
        >
          {ACTS[act].title}
        </button>
      ))}
      <button
        type="button"
        data-testid="node-transfer"
        disabled={ownerRefusal(node) !== null}
        title={ownerRefusal(node) ?? undefined}
        onClick={() => setAsked("transfer")}
      >
        Change owner…
      </button>
      {(asked === "restart" || asked === "stop") && (
        <ActDialog act={asked} node={node} close={close} done={done} />
      )}
      {asked !== "restart" && asked !== "stop" && (
        <ThingDialogs
          thing={thing}
          owner_kind={node.owner_kind}
          asked={asked}
          close={close}
          changed={again}
        />
      )}
    </span>
  );
}

/** What is shown is not what is there now, and why. */
function Stale({ failure, again }: { failure: string | null; again: () => void }) {
  if (failure === null) return null;
  return (
    <div className="stale row" role="status" data-testid="node-stale">
      <span>
        {failure} Below is what was known last; it is asked again every {AGAIN_MS / 1000} seconds.
      </span>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  );
}

/** Asked anew every few seconds while the page is seen. */
function useAgain(again: () => void): void {
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!document.hidden) again();
    }, AGAIN_MS);
    return () => window.clearInterval(timer);
  }, [again]);
}

/** One distinct computation: whose it is, who uses it, how it does, and who did what to it. */
export function NodePage({ me, digest }: { me: Me | null; digest: string }) {
  const fetch = useCallback(() => api.node(digest), [digest]);
  const { value: node, failure, again } = useLoaded(fetch);
  const [acts, setActs] = useState(0);
  useTitle(node ? nameOf(node) : "Node");
  useAgain(again);
  if (failure && !node) {
    return (
      <>
        <Header me={me} here="nodes" />
        <NotAvailable title="This node cannot be shown" words={failure} link="/">
          All plans
        </NotAvailable>
      </>
    );
  }
  const acted = () => {
    again();
    setActs((before) => before + 1);
  };
  return (
    <>
      <Header me={me} here="nodes" />
      <main className="page" data-testid="node-page">
        <div className="row spread">
          <h1>{node ? nameOf(node) : "Node"}</h1>
          {node && <Buttons node={node} again={acted} />}
        </div>
        <Stale failure={failure} again={again} />
        {!node && <Loading what="what is known of this node" />}
        {node && (
          <>
            <p className="faint">
              <span title={`${node.operator} in plans`}>{node.operator_title}</span> of {node.owner}
              {node.owner_kind === "team" && ", a team"} · output: {node.kind} ·{" "}
              <span className="code digest" title="Definition">
                {node.digest}
              </span>
            </p>
            <State node={node} />
            <Guard what="The timeline">
              <NodeLanes node={node} />
            </Guard>
            <Users node={node} />
            <SinksCard node={node} acted={acted} />
            <Metrics node={node} />
            <section className="card">
              <h2>Activity</h2>
              <ActivityList key={acts} address={`/api/nodes/${digest}/audit/`} />
            </section>
          </>
        )}
      </main>
    </>
  );
}
