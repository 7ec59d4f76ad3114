import { Dialog } from "../ui/Dialog";
import { overwriteWithMine, reloadTheirs } from "./server";
import { set, useStudio } from "./store";

/** Two people on one plan: a save that is based on an old version asks what to do, and nothing is lost. */
export function ConflictDialog() {
  const theirs = useStudio((state) => state.conflict);
  const base = useStudio((state) => state.plan?.version);
  if (!theirs) return null;
  return (
    <Dialog title="This plan was changed meanwhile" close={() => set({ conflict: null })}>
      <p>
        You started from version {base}; somebody saved version {theirs.version} (
        {Object.keys(theirs.document.nodes).length} nodes) since. Nothing of yours is lost yet.
      </p>
      <div className="row">
        <button type="button" data-testid="conflict-reload" onClick={reloadTheirs}>
          Reload theirs (undo brings mine back)
        </button>
        <button
          type="button"
          className="danger"
          data-testid="conflict-overwrite"
          onClick={() => void overwriteWithMine()}
        >
          Overwrite with mine
        </button>
        <button type="button" onClick={() => set({ conflict: null })}>
          Decide later
        </button>
      </div>
    </Dialog>
  );
}
