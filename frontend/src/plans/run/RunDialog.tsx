import { useState, type ReactNode } from "react";
import type { Consequences } from "../../core/api/consequences";
import type { Placement } from "../../core/api/types";
import { showNode } from "../editor/edits";
import { countUnappliedChanges } from "../editor/unappliedChanges";
import { documentOf, placementOf, useStudio } from "../editor/store";
import { ReasonField } from "../../core/sharing/TransferDialog";
import { Dialog } from "../../core/ui/Dialog";
import {
  changesNothing,
  groupsOf,
  leavingGroups,
  describeOpenedStreams,
  plural,
  describeReplay,
  runQuestion,
  summarizeConsequences,
} from "./consequences";
import { Groups } from "./Nodes";
import {
  confirmRun,
  confirmStop,
  closeRunDialog,
  previewPlacement,
  sayWhy,
  useRun,
  type Refusal,
} from "./store";

const PLACEMENTS: Record<Placement, string> = {
  isolated: "One query per node: failures and lag stay isolated.",
  together: "Nodes with the same keys share a query: same results, lower cost.",
};

function PlacementChoice() {
  const placement = useStudio(placementOf);
  return (
    <label className="placement">
      Execution
      <select
        data-testid="placement"
        value={placement}
        onChange={(event) => void previewPlacement(event.target.value as Placement)}
      >
        {Object.keys(PLACEMENTS).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <span className="faint">{PLACEMENTS[placement]}</span>
    </label>
  );
}

function Refused({ refusal }: { refusal: Refusal }) {
  return (
    <div className="refused" role="alert" data-testid="run-refused">
      <p className="bad">{refusal.words}</p>
      <ul>
        {refusal.problems.map(({ node, message, hint }, i) => (
          <li key={i}>
            {node !== null && node !== undefined && (
              <button
                type="button"
                className="chip"
                onClick={() => {
                  closeRunDialog();
                  showNode(node);
                }}
              >
                {node}
              </button>
            )}{" "}
            {message} <span className="faint">{hint}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function ConsequencesView({ told }: { told: Consequences }) {
  const [now] = useState(() => Date.now());
  const starts = told.queries.filter((query) => query.starts).length;
  const opens = describeOpenedStreams(
    told,
    useStudio(({ plan }) => plan?.owner ?? "its owner"),
  );
  return (
    <>
      <p data-testid="consequences">
        {summarizeConsequences(told)} {describeReplay(told)}
        {starts > 0 && (
          <span className="faint"> {plural(starts, "Spark query starts", "Spark queries start")}.</span>
        )}
      </p>
      {opens !== null && (
        <p className="bad" data-testid="opens">
          {opens}
        </p>
      )}
      <Groups groups={groupsOf(told, now)} leave={closeRunDialog} />
    </>
  );
}

interface AskProps {
  title: string;
  act: string;
  tone: string;
  /** Whether leaving is what is proposed. */
  leaves?: boolean;
  ready: boolean;
  confirm: () => Promise<void>;
  leave: string;
  children: ReactNode;
}

/** A question with what it would mean; the answer is given by the first button, or by leaving. */
function Ask({ title, act, tone, leaves = false, ready, confirm, leave, children }: AskProps) {
  const busy = useStudio((state) => state.busy !== null);
  return (
    <Dialog title={title} close={closeRunDialog}>
      <div className="asked" data-testid="run-dialog">
        {children}
      </div>
      <div className="row">
        <button
          key={ready ? "ready" : "waiting"}
          type="button"
          className={leaves ? undefined : tone}
          data-testid="confirm"
          autoFocus={!leaves}
          disabled={!ready || busy}
          onClick={() => void confirm()}
        >
          {busy ? "Please wait…" : act}
        </button>
        <button
          key={leave}
          type="button"
          className={leaves ? "primary" : undefined}
          autoFocus={leaves}
          onClick={closeRunDialog}
        >
          {leave}
        </button>
      </div>
    </Dialog>
  );
}

function AskToRun() {
  const { consequences, refusal } = useRun();
  const name = useStudio((state) => documentOf(state).name);
  const running = useStudio((state) => state.plan?.running ?? false);
  const idle = useStudio(
    (state) =>
      running && consequences !== null && changesNothing(consequences) && countUnappliedChanges(state) === 0,
  );
  const nothing = idle && refusal === null;
  const { title, act, leave } = runQuestion(name, running, nothing);
  return (
    <Ask
      title={title}
      act={act}
      tone="primary"
      leaves={nothing}
      ready={consequences !== null && refusal === null}
      confirm={confirmRun}
      leave={leave}
    >
      {refusal && <Refused refusal={refusal} />}
      {!refusal && !consequences && <p className="faint">Checking the impact…</p>}
      {!refusal && consequences && <ConsequencesView told={consequences} />}
      {!refusal && <PlacementChoice />}
    </Ask>
  );
}

function AskToStop() {
  const { leaving, refusal, reason } = useRun();
  const me = useStudio((state) => state.me?.username);
  const foreign = useStudio((state) => state.plan !== null && state.plan.owner !== me);
  const name = useStudio((state) => documentOf(state).name);
  const left = leaving?.gone.filter((node) => node.fate === "left").length ?? 0;
  const stopped = (leaving?.gone.length ?? 0) - left;
  return (
    <Ask
      title={`Stop “${name}”?`}
      act="Stop"
      tone="danger"
      ready={leaving !== null && refusal === null}
      confirm={confirmStop}
      leave="Keep it running"
    >
      {refusal && <Refused refusal={refusal} />}
      {!refusal && !leaving && <p className="faint">Checking the impact…</p>}
      {leaving && !refusal && (
        <>
          <p data-testid="consequences">
            {plural(stopped, "node stops", "nodes stop")}
            {left > 0 && `, ${plural(left, "keeps running for others", "keep running for others")}`}. Results
            stay, and the plan can resume later where it stopped.
          </p>
          <Groups groups={leavingGroups(leaving.gone)} leave={closeRunDialog} />
          {(foreign || left > 0) && <ReasonField value={reason} set={sayWhy} />}
        </>
      )}
    </Ask>
  );
}

/** Before Run, Apply and Stop: what happens to which node, for whom, and what is computed again. */
export function RunDialog() {
  const asking = useRun((state) => state.asking);
  if (asking === "run") return <AskToRun />;
  return asking === "stop" ? <AskToStop /> : null;
}
