import { Fragment, useState, type CSSProperties } from "react";

interface Props {
  name: string;
  rename: (name: string) => string | null;
}

/** From far away a name is as large as its longest word allows (nodes.css). */
function Words({ name }: { name: string }) {
  return name.split(/(?<=_)/).map((word, i) => (
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {word}
    </Fragment>
  ));
}

const longestOf = (name: string): CSSProperties =>
  ({ "--longest": Math.max(...name.split(/(?<=_)/).map(({ length }) => length)) }) as CSSProperties;

/** A node's name on the canvas; a double click, or Enter when it has the focus, edits it. */
export function NodeName({ name, rename }: Props) {
  const [draft, setDraft] = useState<string | null>(null);
  if (draft === null)
    return (
      <button
        type="button"
        className="node-name"
        title="Double-click to rename"
        style={longestOf(name)}
        onDoubleClick={() => setDraft(name)}
        onKeyDown={(event) => event.key === "F2" && setDraft(name)}
      >
        <Words name={name} />
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
