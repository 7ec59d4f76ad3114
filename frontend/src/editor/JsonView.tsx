import { useState } from "react";
import { applyJson } from "./edits";
import { documentOf, useStudio } from "./store";

/** The plan document as text: read it, change it, apply it (one undo step). */
export function JsonView({ close }: { close: () => void }) {
  const document = useStudio(documentOf);
  const [draft, setDraft] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const apply = () => {
    const problem = draft === null ? null : applyJson(draft);
    setRefusal(problem);
    if (problem === null) setDraft(null);
  };
  return (
    <section className="json-view" aria-label="Plan document">
      <textarea
        data-testid="json-text"
        aria-label="Plan document as JSON"
        spellCheck={false}
        value={draft ?? JSON.stringify(document, null, 2)}
        onChange={(event) => setDraft(event.target.value)}
      />
      <div className="row">
        <button
          type="button"
          className="primary"
          data-testid="json-apply"
          disabled={draft === null}
          onClick={apply}
        >
          Apply
        </button>
        <button type="button" disabled={draft === null} onClick={() => setDraft(null)}>
          Discard changes
        </button>
        <button type="button" onClick={close}>
          Close
        </button>
        {refusal !== null && <span className="bad">{refusal}</span>}
      </div>
    </section>
  );
}
