import { useEffect } from "react";
import { useDraft } from "../drafts/store";
import { documentOf, useStudio } from "../editor/store";
import { ChangeList } from "./ChangeList";
import { ComparedCanvas } from "./ComparedCanvas";
import { useModal } from "../../core/ui/useModal";
import { close, openVersions, refreshVersions, useVersions } from "./store";
import { SideChoices, VersionList } from "./VersionList";
import { Failure } from "../../core/ui/Failure";

function Comparison() {
  const compared = useVersions((state) => state.compared);
  if (!compared) return <div className="comparison" />;
  return (
    <div className="comparison">
      <div className="comparison-head">
        <SideChoices />
        <ul className="legend" aria-hidden="true">
          {(["added", "removed", "changed", "rewired", "moved"] as const).map((did) => (
            <li key={did} className={`did did-${did}`}>
              {did}
            </li>
          ))}
        </ul>
      </div>
      <ComparedCanvas compared={compared} />
      <ChangeList compared={compared} />
    </div>
  );
}

function Opened() {
  const dialog = useModal();
  const name = useStudio((state) => documentOf(state).name);
  const failure = useVersions((state) => state.failure);
  const newest = useDraft((state) => state.newest);
  useEffect(() => void refreshVersions(), [newest]);
  return (
    <dialog ref={dialog} className="versions" aria-label="Versions" data-testid="versions" onClose={close}>
      <header>
        <h2>Versions of “{name}”</h2>
        <Failure words={failure} />
        <span className="spacer" />
        <button type="button" data-testid="versions-close" onClick={() => dialog.current?.close()}>
          Back to the draft
        </button>
      </header>
      <VersionList />
      <Comparison />
    </dialog>
  );
}

/** All versions of the plan, any two of them compared, and the way back to each. */
export function VersionsView() {
  return useVersions((state) => state.open) ? <Opened /> : null;
}

export function VersionsButton() {
  const saved = useStudio((state) => state.plan !== null);
  return (
    <button
      type="button"
      data-testid="versions-open"
      disabled={!saved}
      title="Name, compare and restore versions"
      onClick={() => void openVersions()}
    >
      Versions
    </button>
  );
}
