import { DraftStatus } from "../../plans/drafts/DraftStatus";
import { People } from "../../plans/drafts/People";
import { PlanMenu } from "../../plans/transfer/PlanMenu";
import { ViewSwitch } from "../../plans/text/ViewSwitch";
import { askToRun, askToStop } from "../../plans/run/store";
import { toggleTesting, useTesting } from "../../samples/open";
import { UNTITLED } from "../../core/graph/document";
import { arrangeAll, redo, renamePlan, undo } from "../../plans/editor/edits";
import { VersionsButton } from "../../plans/versions/VersionsView";
import { Glyph, Picture, REDO, UNDO } from "../../core/ui/Glyph";
import { countUnappliedChanges, refusesApply } from "../../plans/editor/unappliedChanges";
import { copy } from "../../plans/drafts/planActions";
import { refusesMaking } from "../../core/api/rights";
import {
  documentOf,
  foreignOwner,
  refusesChange,
  refusesOperating,
  useStudio,
} from "../../plans/editor/store";

function RunControls() {
  const running = useStudio((state) => state.plan?.running ?? false);
  const refusal = useStudio(refusesApply);
  const foreign = useStudio(refusesOperating);
  const busy = useStudio((state) => state.busy);
  const changes = useStudio(countUnappliedChanges);
  const current = running && changes === 0;
  return (
    <>
      <span
        className={foreign === null ? "run-refusal faint" : "visually-hidden"}
        id="run-refusal"
        title={foreign === null ? (refusal ?? undefined) : undefined}
        data-testid="run-refusal"
      >
        {busy === null ? refusal : null}
      </span>
      <button
        type="button"
        data-testid="stop"
        disabled={!running || busy !== null || foreign !== null}
        title={foreign ?? undefined}
        onClick={() => void askToStop()}
      >
        {busy === "stop" ? "Stopping…" : "Stop"}
      </button>
      <button
        type="button"
        className={current ? "" : "primary"}
        data-testid="run"
        data-changes={running ? changes : undefined}
        disabled={refusal !== null}
        title={
          refusal ??
          (running
            ? current
              ? "Apply starts the failed nodes again."
              : "The draft differs from what runs. Check the impact, then apply."
            : "Check the impact, then run.")
        }
        aria-describedby="run-refusal"
        onClick={() => void askToRun()}
      >
        {running && changes > 0 && <span className="dot amber pending-dot" aria-hidden="true" />}
        {busy === "run" ? "Starting…" : running ? "Apply" : "Run"}
        {busy !== "run" && running && !current && <span className="word">&nbsp;changes</span>}
      </button>
    </>
  );
}

/** On another person's plan: whose it is, and the way to one's own. */
function Foreign() {
  const owner = useStudio(foreignOwner);
  const refusal = useStudio(refusesChange);
  const looks = useStudio(({ me }) => refusesMaking(me));
  const busy = useStudio((state) => state.busy);
  if (owner === null) return null;
  return (
    <>
      <span className="foreign" data-testid="foreign" title={refusal ?? undefined}>
        Plan of {owner}
      </span>
      <button
        type="button"
        data-testid="copy-plan"
        disabled={busy !== null || looks !== null}
        title={looks ?? "Create your own plan from this document and open it"}
        onClick={() => void copy()}
      >
        {busy === "copy" ? "Copying…" : "Copy"}
      </button>
    </>
  );
}

function TestButton() {
  const open = useTesting((state) => state.open);
  return (
    <button
      type="button"
      data-testid="testing"
      aria-pressed={open}
      title="Results on sample events, and tests"
      onClick={toggleTesting}
    >
      Test
    </button>
  );
}

export function Toolbar() {
  const name = useStudio((state) => documentOf(state).name);
  const canUndo = useStudio((state) => state.history.past.length > 0 || state.unread !== null);
  const canRedo = useStudio((state) => state.history.future.length > 0);
  return (
    <div className="toolbar" role="toolbar" aria-label="Plan">
      <input
        className="plan-name"
        data-testid="plan-name"
        aria-label="Plan name"
        placeholder={UNTITLED}
        maxLength={200}
        value={name}
        onChange={(event) => renamePlan(event.target.value)}
        onBlur={() => name.trim() === "" && renamePlan(UNTITLED)}
      />
      <DraftStatus />
      <Foreign />
      <Glyph id="undo" title="Undo" keys="Ctrl Z" picture={UNDO} disabled={!canUndo} act={undo} />
      <Glyph id="redo" title="Redo" keys="Ctrl Shift Z" picture={REDO} disabled={!canRedo} act={redo} />
      <button
        type="button"
        data-testid="arrange"
        aria-label="Arrange"
        title="Arrange nodes from left to right (L)"
        className="glyph"
        onClick={() => void arrangeAll()}
      >
        <Picture path="M1.5 6h4v4h-4zM10.5 2h4v4h-4zM10.5 10h4v4h-4zM5.5 8h2.5M10.5 4H8v8h2.5" />
        <span className="word">Arrange</span>
      </button>
      <ViewSwitch />
      <PlanMenu />
      <TestButton />
      <VersionsButton />
      <span className="spacer" />
      <People />
      <RunControls />
    </div>
  );
}
