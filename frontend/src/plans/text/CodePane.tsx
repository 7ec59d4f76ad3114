import { useEffect, useRef } from "react";
import { CodeEditor } from "./editor";
import { KINDS } from "./kinds";
import type { Located, SyncState } from "./session";
import { useViews, type TextView } from "./store";

function Worst({ problems, goTo }: { problems: readonly Located[]; goTo: (problem: Located) => void }) {
  const [first] = problems;
  if (!first) return null;
  return (
    <button
      type="button"
      className="quiet"
      data-testid="code-problem"
      title="Go there"
      onClick={() => goTo(first)}
    >
      <span>
        line {first.line ?? 1}, column {first.column ?? 1}: {first.message}
      </span>
      <span className="faint">{first.hint}</span>
    </button>
  );
}

function said(standing: SyncState | null): string {
  switch (standing?.state) {
    case undefined:
    case "reading":
      return "Checking…";
    case "away":
      return `Not checked: ${standing.failure ?? ""}`;
    case "unread":
      return "Has errors – not applied";
    case "even":
      return "Synced";
  }
}

/** How the text stands to the plan: one line below it, always as high. */
function CodeStatus({ goTo, discard }: { goTo: (problem: Located) => void; discard: () => void }) {
  const standing = useViews((state) => state.standing);
  const bad = standing?.state === "unread" || standing?.state === "away";
  return (
    <footer className="code-status">
      <span className={bad ? "bad" : "faint"} role="status" data-testid="code-status">
        {said(standing)}
      </span>
      {standing && <Worst problems={standing.problems} goTo={goTo} />}
      {standing?.state === "unread" && (
        <button
          type="button"
          data-testid="code-discard"
          title="Discard what you typed and show the plan"
          onClick={discard}
        >
          Discard
        </button>
      )}
      <span className="spacer" />
      <span className="faint keys">Ctrl Space completes · F8 next problem · Ctrl F finds</span>
    </footer>
  );
}

/** A text of the plan, to read and to edit. */
export function CodePane({ view }: { view: TextView }) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor>(null);
  useEffect(() => {
    if (!parent.current) return;
    const codeEditor = new CodeEditor(KINDS[view](), parent.current);
    editor.current = codeEditor;
    return () => codeEditor.close();
  }, [view]);
  return (
    <section className="code-pane" aria-label={view === "text" ? "Text" : "JSON"}>
      <div ref={parent} className="code-text" data-testid={`${view}-text`} />
      <CodeStatus
        goTo={({ line, column }) => editor.current?.goTo([line ?? 1, column ?? 1])}
        discard={() => void editor.current?.discard()}
      />
    </section>
  );
}
