import { save } from "./planActions";
import { foreignOwner, isUnsaved, isUntouched, refusesChange, useStudio } from "../editor/store";
import { setDraft, useDraft, type SaveState } from "./store";

/** How a draft stands that may not be one yet. */
type DraftState = SaveState | "new";

const WORDS: Record<DraftState, string> = {
  new: "New",
  saved: "Saved",
  unsaved: "Unsaved",
  saving: "Saving…",
  offline: "Not sent yet",
  conflict: "Choose…",
  refused: "Not saved",
};

const HINTS: Record<DraftState, string> = {
  new: "Nothing to save yet. The plan saves automatically as soon as you draw.",
  saved: "Changes are saved automatically. Ctrl S saves at once.",
  unsaved: "Saves automatically in a moment. Ctrl S saves at once.",
  saving: "Sending to the server.",
  offline: "Stored on this computer and sent when the server answers. Press to retry now.",
  conflict: "Someone else changed the same parts. Press to choose.",
  refused: "Press to retry.",
};

const DOTS: Record<DraftState, string> = {
  new: "grey",
  saved: "green",
  unsaved: "grey",
  saving: "grey",
  offline: "amber",
  conflict: "red",
  refused: "red",
};

function useStanding(): DraftState {
  const standing = useDraft((state) => state.saveState);
  const unsaved = useStudio(isUnsaved);
  const untouched = useStudio(isUntouched);
  if (standing !== "saved") return standing;
  return untouched ? "new" : unsaved ? "unsaved" : "saved";
}

/** How the draft stands; pressing it saves at once, or leads to what is in the way. */
export function DraftStatus() {
  const standing = useStanding();
  const why = useDraft((state) => state.reason);
  const refusal = useStudio(refusesChange);
  const foreign = useStudio(foreignOwner) !== null;
  const busy = useStudio((state) => state.busy);
  const title = refusal ?? [why, HINTS[standing]].filter(Boolean).join(" ");
  // Where nothing can be changed there is nothing to be saved.
  if (foreign && standing === "saved") return null;
  const alarming = standing === "offline" || standing === "conflict" || standing === "refused";
  return (
    <>
      <button
        type="button"
        className={`draft-status quiet ${alarming ? "alarming" : ""}`}
        data-testid="save"
        data-standing={standing}
        disabled={busy !== null || foreign}
        title={title}
        onClick={() => (standing === "conflict" ? setDraft({ deciding: true }) : void save())}
      >
        <span className={`dot ${foreign ? "grey" : DOTS[standing]}`} aria-hidden="true" />
        {foreign && standing !== "saved" ? "Not kept" : WORDS[standing]}
      </button>
      <span className="visually-hidden" role="status">
        {alarming ? `${WORDS[standing]}: ${title}` : ""}
      </span>
    </>
  );
}
