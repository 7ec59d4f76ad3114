import { lazy, Suspense, useEffect } from "react";
import { Canvas } from "../editor/Canvas";
import { isBare, layOutBare } from "../editor/firstLayout";
import { documentOf, useStudio } from "../editor/store";
import { EmptyCanvas } from "../help/EmptyCanvas";
import { useViews } from "./store";

// Loaded when a text is first shown.
const CodePane = lazy(() => import("./CodePane").then((module) => ({ default: module.CodePane })));

/** What was typed has no places: it gets them when it is seen as a canvas, but not under who types on. */
function usePlaces(isCanvas: boolean, beside: boolean): void {
  const bare = useStudio((state) => (isCanvas && isBare(documentOf(state)) ? documentOf(state) : null));
  useEffect(() => {
    if (bare) void layOutBare();
  }, [bare]);
  useEffect(() => {
    if (beside) void layOutBare();
  }, [beside]);
}

/** The plan in the view that is chosen, or in two. */
export function Views() {
  // Each key that is typed tells how the text stands: the canvas beside it does not ask for that.
  const view = useViews((state) => state.view);
  const beside = useViews((state) => state.beside);
  usePlaces(view === "canvas", beside);
  if (view === "canvas")
    return (
      <>
        <Canvas />
        <EmptyCanvas />
      </>
    );
  return (
    <div className="views">
      {beside && <Canvas />}
      <Suspense fallback={<p className="code-pane faint">Loading the editor…</p>}>
        <CodePane key={view} view={view} />
      </Suspense>
    </div>
  );
}
