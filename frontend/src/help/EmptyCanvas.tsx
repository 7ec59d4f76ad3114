import { documentOf, useStudio } from "../editor/store";

/** What to do with a plan that has no nodes yet. */
export function EmptyCanvas() {
  const empty = useStudio((state) => Object.keys(documentOf(state).nodes).length === 0);
  const streams = useStudio((state) => state.streams.size);
  if (!empty) return null;
  return (
    <div className="empty-canvas" data-testid="empty-canvas">
      {streams === 0 ? (
        <>
          <h2>First a stream, then a plan</h2>
          <p>
            A plan asks something of the events of a stream, and there is none yet.{" "}
            <a href="/streams/declare-new/">Declare a stream</a>, and come back.
          </p>
        </>
      ) : (
        <>
          <h2>What do you want to know?</h2>
          <ol>
            <li>
              Drag an operator <b>from a stream</b> here, or double click here: it reads events.
            </li>
            <li>Set it up on the right. Its help button says what it means, with a picture.</li>
            <li>Add operators that read it, and draw a wire from one to the next.</li>
            <li>When no problem is left, run it.</li>
          </ol>
        </>
      )}
    </div>
  );
}
