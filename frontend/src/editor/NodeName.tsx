import { useState } from "react";

interface Props {
  name: string;
  rename: (name: string) => string | null;
}

/** A node's name on the canvas; a double click, or Enter when it has the focus, edits it. */
export function NodeName({ name, rename }: Props) {
  const [draft, setDraft] = useState<string | null>(null);
  if (draft === null)
    return (
      <button
        type="button"
        className="node-name"
        title="Double-click to rename"
        onDoubleClick={() => setDraft(name)}
        onKeyDown={(event) => event.key === "F2" && setDraft(name)}
      >
        {name}
      </button>
    );
  const commit = () => {
    rename(draft.trim());
    setDraft(null);
  };
  return (
    <input
      className="node-name nodrag"
      aria-label="Node name"
      autoFocus
      value={draft}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") commit();
        if (event.key === "Escape") setDraft(null);
      }}
    />
  );
}
