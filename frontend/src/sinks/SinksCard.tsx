import { Fragment, useCallback, useState } from "react";
import { describeError } from "../core/api/client";
import { may } from "../core/api/rights";
import type { NodeDetail } from "../core/api/types";
import { DeleteDialog } from "../core/ui/DeleteDialog";
import { Failure } from "../core/ui/Failure";
import { formatOptionTitle } from "../core/ui/options";
import { formatMoment } from "../core/time/format";
import { formatCounted } from "../core/ui/format";
import { usePolled } from "../core/ui/usePolled";
import { calledOf, describeOwner } from "./sinkNames";
import { sinkApi, type Sink } from "./calls";
import { SinkForm } from "./SinkForm";

const AGAIN_MS = 2000;
const TONES: Readonly<Record<Sink["observed"], string>> = {
  paused: "grey",
  starting: "amber",
  delivering: "green",
  retrying: "red",
};

/** Where that is, and how it goes; of secrets only which are kept. */
function Told({ sink }: { sink: Sink }) {
  const given = Object.entries(sink.options).filter(([, value]) => value !== "");
  const known = sink.delivers === "final" ? sink.final_until : sink.known_at;
  return (
    <>
      <p data-testid="sink-words" aria-live="polite">
        <span className={`dot ${TONES[sink.observed]}`} aria-hidden="true" /> {sink.words}
      </p>
      <p className="faint" data-testid="sink-owner">
        {describeOwner(sink)}
      </p>
      <dl className="declaration">
        <dt>Delivers</dt>
        <dd>
          {sink.delivers === "final" ? "what is final" : "every revision"}
          {sink.once !== "" && `, ${sink.once}`}
        </dd>
        {given.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{formatOptionTitle(name)}</dt>
            <dd className="code">
              {String(value)} {sink.units[name]}
            </dd>
          </Fragment>
        ))}
        {sink.secrets.map((name) => (
          <Fragment key={name}>
            <dt>{formatOptionTitle(name)}</dt>
            <dd>stored, not shown</dd>
          </Fragment>
        ))}
        <dt>Delivered</dt>
        <dd data-testid="sink-rows">{formatCounted(sink.rows, "rows")}</dd>
        <dt>{sink.delivers === "final" ? "What was final until" : "What was known by"}</dt>
        <dd>{formatMoment(known)}</dd>
        <dt>Waits</dt>
        <dd data-testid="sink-lag">{formatCounted(sink.lag, "versions")} of the node</dd>
        {sink.corrected > 0 && (
          <>
            <dt>Corrected later</dt>
            <dd>
              {formatCounted(sink.corrected, "revisions")} of what was final already, and is not delivered
              again
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

interface OneProps {
  node: NodeDetail;
  sink: Sink;
  changed: () => void;
}

function One({ node, sink, changed }: OneProps) {
  const [asked, setAsked] = useState<"change" | "remove" | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const done = () => {
    setAsked(null);
    changed();
  };
  const pause = () => {
    setFailure(null);
    sinkApi
      .pause(node.digest, sink.number, !sink.paused)
      .then(changed, (error: unknown) => setFailure(describeError(error)));
  };
  return (
    <div className="sink" data-testid="sink">
      <div className="row spread">
        <h3>{sink.title}</h3>
        {may("own", sink) && asked !== "change" && (
          <div className="row">
            <button type="button" data-testid="pause-sink" onClick={pause}>
              {sink.paused ? "Resume" : "Pause"}
            </button>
            <button type="button" data-testid="change-sink" onClick={() => setAsked("change")}>
              Edit
            </button>
            <button type="button" data-testid="remove-sink" onClick={() => setAsked("remove")}>
              Remove…
            </button>
          </div>
        )}
      </div>
      <Failure words={failure} />
      {asked === "change" ? (
        <SinkForm digest={node.digest} sink={sink} close={() => setAsked(null)} done={done} />
      ) : (
        <Told sink={sink} />
      )}
      {asked === "remove" && (
        <DeleteDialog
          name={calledOf(sink)}
          verb="Remove"
          remove={() => sinkApi.remove(node.digest, sink.number)}
          done={done}
          close={() => setAsked(null)}
        >
          Delivery stops. Delivered rows stay there.
        </DeleteDialog>
      )}
    </div>
  );
}

/** Where a node is delivered to; `acted`: something was done to it that the activity tells. */
export function SinksCard({ node, acted }: { node: NodeDetail; acted: () => void }) {
  const fetch = useCallback(() => sinkApi.of(node.digest), [node.digest]);
  const { value: sinks, failure, again } = usePolled(fetch, AGAIN_MS);
  const [adding, setAdding] = useState(false);
  const operates = may("operate", node);
  const changed = () => {
    again();
    acted();
  };
  const done = () => {
    setAdding(false);
    changed();
  };
  return (
    <section className="card" id="sinks" data-testid="sinks">
      <div className="row spread">
        <h2>Sinks</h2>
        {!adding && (
          <button
            type="button"
            data-testid="add-sink"
            disabled={!operates}
            title={operates ? undefined : `${node.owner} owns it, and you may not run or stop it.`}
            onClick={() => setAdding(true)}
          >
            Add a sink
          </button>
        )}
      </div>
      <Failure words={failure} />
      {sinks?.length === 0 && !adding && (
        <p className="faint">No sinks yet. Send results to files, a database, Kafka or a webhook.</p>
      )}
      {sinks?.map((sink) => (
        <One key={sink.number} node={node} sink={sink} changed={changed} />
      ))}
      {adding && <SinkForm digest={node.digest} sink={null} close={() => setAdding(false)} done={done} />}
    </section>
  );
}
