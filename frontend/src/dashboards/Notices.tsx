import { may } from "../core/api/rights";
import { NoticeLine } from "../core/ui/Notice";
import { Dialog } from "../core/ui/Dialog";
import { overwrite, restore, takeTheirs } from "./server";
import { isOld, changeView, set, useBoard } from "./store";

export function Notice() {
  const notice = useBoard((state) => state.notice);
  return <NoticeLine notice={notice} close={() => set({ notice: null })} />;
}

/** What is seen was saved once, and something else since. */
export function OldVersion() {
  const old = useBoard(isOld);
  const board = useBoard((state) => state.board);
  if (!old || !board) return null;
  const mine = may("edit", board);
  const newest = () => {
    changeView({ version: null });
    window.location.reload();
  };
  return (
    <p className="old-version" data-testid="old-version">
      <span>
        This is version {board.version}; the newest is {board.newest}.
      </span>
      <button type="button" onClick={newest}>
        Show the newest
      </button>
      {mine && (
        <button type="button" onClick={() => void restore()}>
          Make this the newest
        </button>
      )}
    </p>
  );
}

export function Conflict() {
  const conflict = useBoard((state) => state.conflict);
  const board = useBoard((state) => state.board);
  if (!conflict || !board) return null;
  return (
    <Dialog title="This dashboard changed in the meantime" close={() => set({ conflict: null })}>
      <p>
        You started from version {board.version}; somebody saved version {conflict.newest}. Nothing is lost:
        theirs stays among the versions, and yours is one undo away.
      </p>
      <div className="row">
        <button type="button" data-testid="conflict-reload" onClick={takeTheirs}>
          Show theirs
        </button>
        <button type="button" data-testid="conflict-overwrite" onClick={() => void overwrite()}>
          Save mine over it
        </button>
        <button type="button" onClick={() => set({ conflict: null })}>
          Later
        </button>
      </div>
    </Dialog>
  );
}
