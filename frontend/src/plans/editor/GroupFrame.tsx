import type { NodeProps } from "@xyflow/react";
import { memo, useState } from "react";
import { groupsOf } from "../../core/graph/drawing";
import { changeGroup } from "./selectionActions";
import { setOverlay, useOverlay } from "./overlay";
import { documentOf, useStudio } from "./store";
import { focusNode } from "./view";

function Title({ index, title, done }: { index: number; title: string; done: () => void }) {
  const [draft, setDraft] = useState(title);
  const commit = () => {
    if (draft.trim() !== "" && draft !== title) changeGroup(index, { title: draft.trim().slice(0, 200) });
    done();
  };
  return (
    <input
      className="frame-title nodrag"
      aria-label="Group title"
      autoFocus
      value={draft}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") commit();
        if (event.key === "Escape") done();
      }}
    />
  );
}

/** The frame around a group; its title bar moves the nodes along. */
export const GroupFrame = memo(function GroupFrame({ id, data, selected }: NodeProps) {
  const index = Number(data.index);
  const group = useStudio((state) => groupsOf(documentOf(state))[index]);
  const editing = useOverlay((overlay) => overlay.editing === id);
  if (!group) return null;
  const done = () => {
    setOverlay({ editing: null });
    focusNode(id);
  };
  return (
    <div
      className={`frame frame-${group.colour ?? "grey"} ${selected ? "selected" : ""}`}
      data-testid={`group-${index}`}
    >
      {editing ? (
        <Title index={index} title={group.title} done={done} />
      ) : (
        <p
          className="frame-title"
          title="Drag to move the group, double-click to rename"
          onDoubleClick={() => setOverlay({ editing: id })}
        >
          {group.title}
        </p>
      )}
    </div>
  );
});
