import { NodeResizer, type NodeProps } from "@xyflow/react";
import { memo, useState } from "react";
import { commentsOf, textOf } from "../../core/graph/drawing";
import { removeAll, sizeComment, writeComment } from "./selectionActions";
import { setOverlay, useOverlay } from "./overlay";
import { documentOf, useStudio } from "./store";
import { focusNode } from "./view";

const LEAST = { minWidth: 96, minHeight: 40 };

function Text({ id, index, text }: { id: string; index: number; text: string }) {
  const [draft, setDraft] = useState(text);
  const close = () => {
    setOverlay({ editing: null });
    if (draft.trim() === "" && text === "") removeAll([id], []);
    else if (draft !== text) writeComment(index, draft);
  };
  return (
    <textarea
      className="nodrag nowheel"
      aria-label="Comment"
      data-testid="comment-text"
      autoFocus
      maxLength={10_000}
      value={draft}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={close}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key !== "Escape" && !(event.key === "Enter" && (event.ctrlKey || event.metaKey))) return;
        event.preventDefault();
        event.currentTarget.blur();
        focusNode(id);
      }}
    />
  );
}

/** A comment on the canvas. */
export const CommentNote = memo(function CommentNote({ id, data, selected }: NodeProps) {
  const index = Number(data.index);
  const comment = useStudio((state) => commentsOf(documentOf(state))[index]);
  const editing = useOverlay((overlay) => overlay.editing === id);
  if (comment === undefined) return null;
  const text = textOf(comment);
  return (
    <div
      className={`comment-note ${selected ? "selected" : ""}`}
      data-testid={`comment-${index}`}
      title={editing ? undefined : "Double-click to edit"}
      onDoubleClick={() => setOverlay({ editing: id })}
    >
      <NodeResizer
        {...LEAST}
        isVisible={selected && !editing}
        onResizeEnd={(_event, { x, y, width, height }) => sizeComment(index, [x, y], [width, height])}
      />
      {editing ? <Text id={id} index={index} text={text} /> : <p>{text}</p>}
    </div>
  );
});
