import { useId } from "react";
import { COLOURS, commentsOf, groupsOf, textOf } from "../../core/graph/drawing";
import { COMMENT, GROUP, numberOf } from "../../core/graph/geometry";
import { changeGroup, removeAll, ungroupSelected, writeComment } from "../../plans/editor/selectionActions";
import { documentOf, useStudio } from "../../plans/editor/store";

function GroupInspector({ index }: { index: number }) {
  const id = useId();
  const group = useStudio((state) => groupsOf(documentOf(state))[index]);
  if (!group) return null;
  const count = group.nodes.length;
  return (
    <>
      <h2>Group</h2>
      <p className="faint">
        {count === 1 ? "One node." : `${count} nodes.`} A group does not change what the plan computes.
      </p>
      <div className="field">
        <label htmlFor={id}>Title</label>
        <input
          id={id}
          data-testid="group-title"
          maxLength={200}
          value={group.title}
          aria-invalid={group.title.trim() === "" || undefined}
          onChange={(event) => changeGroup(index, { title: event.target.value })}
        />
      </div>
      <fieldset className="colours">
        <legend>Colour</legend>
        {COLOURS.map((colour) => (
          <label key={colour} className={`frame-${colour}`}>
            <input
              type="radio"
              name={id}
              checked={(group.colour ?? "grey") === colour}
              onChange={() => changeGroup(index, { colour })}
            />
            {colour}
          </label>
        ))}
      </fieldset>
      <button type="button" onClick={ungroupSelected}>
        Ungroup
      </button>
    </>
  );
}

function CommentInspector({ index }: { index: number }) {
  const id = useId();
  const comment = useStudio((state) => commentsOf(documentOf(state))[index]);
  if (comment === undefined) return null;
  return (
    <>
      <h2>Comment</h2>
      <p className="faint">Stored in the plan and in its text.</p>
      <div className="field">
        <label htmlFor={id}>Text</label>
        <textarea
          id={id}
          rows={6}
          maxLength={10_000}
          value={textOf(comment)}
          onChange={(event) => writeComment(index, event.target.value)}
        />
      </div>
      <button type="button" className="danger" onClick={() => removeAll([`${COMMENT}${index}`], [])}>
        Delete comment
      </button>
    </>
  );
}

/** What is selected that is no node: a group, a comment, several things, nothing. */
export function DrawnInspector() {
  const selected = useStudio((state) => state.selected);
  const [id = ""] = selected;
  const [group, comment] = [numberOf(id, GROUP), numberOf(id, COMMENT)];
  if (selected.length === 1 && group !== null) return <GroupInspector index={group} />;
  if (selected.length === 1 && comment !== null) return <CommentInspector index={comment} />;
  return (
    <p className="faint">
      {selected.length > 1 ? `${selected.length} items selected.` : "Select a node to edit it."}
    </p>
  );
}
