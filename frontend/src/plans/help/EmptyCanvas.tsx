import { documentOf, useStudio } from "../editor/store";
import { TemplatesButton } from "../templates/TemplatesButton";

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
            A plan answers a question about the events of a stream. No stream exists yet.{" "}
            <a href="/streams/declare-new/">Declare a stream</a>, and come back.
          </p>
        </>
      ) : (
        <>
          <h2>What do you want to know?</h2>
          <ol>
            <li>
              Drag an operator <b>from a stream</b> here, or double-click here: it reads events.
            </li>
            <li>Edit it on the right. Its help button explains it with a picture.</li>
            <li>Add operators that use its output, and draw a wire from one to the next.</li>
            <li>When there are no problems, press Run.</li>
          </ol>
        </>
      )}
      <p>
        Or begin with a question that others ask: <TemplatesButton />
      </p>
    </div>
  );
}
