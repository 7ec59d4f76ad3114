import { arrangeAll, redo, renamePlan, undo } from "./edits";
import { run, save, stop } from "./server";
import { documentOf, isUnsaved, refusesRun, useStudio } from "./store";

function RunControls() {
  const running = useStudio((state) => state.plan?.running ?? false);
  const refusal = useStudio(refusesRun);
  const busy = useStudio((state) => state.busy);
  const placement = useStudio((state) => state.plan?.placement ?? "isolated");
  return (
    <>
      <button
        type="button"
        className="primary"
        data-testid="run"
        disabled={refusal !== null}
        title={refusal ?? (running ? "Save and apply the changes to the running plan" : "Save and run")}
        aria-describedby="run-refusal"
        onClick={() => void run()}
      >
        {busy === "run" ? "Starting…" : running ? "Apply" : "Run"}
      </button>
      <button
        type="button"
        data-testid="stop"
        disabled={!running || busy !== null}
        onClick={() => void stop()}
      >
        {busy === "stop" ? "Stopping…" : "Stop"}
      </button>
      <span className="faint nowrap" title="How the nodes of this plan are placed when it runs">
        placement: {placement}
      </span>
      <span className="run-refusal faint" id="run-refusal" data-testid="run-refusal">
        {busy === null ? refusal : null}
      </span>
    </>
  );
}

export function Toolbar({ json, toggleJson }: { json: boolean; toggleJson: () => void }) {
  const name = useStudio((state) => documentOf(state).name);
  const unsaved = useStudio(isUnsaved);
  const canUndo = useStudio((state) => state.history.past.length > 0);
  const canRedo = useStudio((state) => state.history.future.length > 0);
  const busy = useStudio((state) => state.busy);
  return (
    <div className="toolbar" role="toolbar" aria-label="Plan">
      <input
        className="plan-name"
        data-testid="plan-name"
        aria-label="Plan name"
        value={name}
        onChange={(event) => renamePlan(event.target.value)}
      />
      <span className="unsaved" data-testid="unsaved" aria-live="polite">
        {unsaved ? "unsaved" : ""}
      </span>
      <button
        type="button"
        data-testid="save"
        disabled={busy !== null}
        title="Ctrl S"
        onClick={() => void save()}
      >
        {busy === "save" ? "Saving…" : "Save"}
      </button>
      <button type="button" data-testid="undo" disabled={!canUndo} title="Ctrl Z" onClick={undo}>
        Undo
      </button>
      <button type="button" data-testid="redo" disabled={!canRedo} title="Ctrl Shift Z" onClick={redo}>
        Redo
      </button>
      <button
        type="button"
        data-testid="arrange"
        title="Lay the nodes out from left to right"
        onClick={arrangeAll}
      >
        Arrange
      </button>
      <button type="button" data-testid="json" aria-pressed={json} onClick={toggleJson}>
        JSON
      </button>
      <span className="spacer" />
      <RunControls />
    </div>
  );
}
