import { lazy, Suspense } from "react";
import { Canvas } from "../editor/Canvas";
import { EmptyCanvas } from "../help/EmptyCanvas";
import { useViews } from "./store";

// Loaded when a text is first shown.
const CodePane = lazy(() => import("./CodePane").then((module) => ({ default: module.CodePane })));

/** The plan in the view that is chosen, or in two. */
export function Views() {
  const { view, beside } = useViews();
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
