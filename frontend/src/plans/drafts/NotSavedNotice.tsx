import { copy } from "./planActions";
import { foreignOwner, useStudio } from "../editor/store";
import { useDraft } from "./store";

/** Why the server rejects the draft; for a deleted plan, a button that saves it as a new one. */
export function NotSavedNotice() {
  const refused = useDraft((state) => state.saveState === "refused");
  const why = useDraft((state) => state.reason);
  const gone = useStudio((state) => state.gone);
  const foreign = useStudio(foreignOwner) !== null;
  const busy = useStudio((state) => state.busy);
  if (!gone && (!refused || foreign)) return null;
  return (
    <p className="notice bad not-saved" role="alert" data-testid="not-saved">
      {gone ? why : `Not saved. ${why ?? ""}`}
      {gone && (
        <button
          type="button"
          data-testid="keep-as-new"
          disabled={busy !== null}
          title="Create your own plan from this document and open it"
          onClick={() => void copy()}
        >
          {busy === "copy" ? "Copying…" : "Save as new plan"}
        </button>
      )}
    </p>
  );
}
