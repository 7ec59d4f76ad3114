import { useEffect } from "react";
import { useStudio } from "../editor/store";
import { setBeside, showView, useViews, type View } from "./store";

const VIEWS: readonly [view: View, title: string, key: string][] = [
  ["canvas", "Canvas", "1"],
  ["text", "Text", "2"],
  ["json", "JSON", "3"],
];

/** Canvas, text or JSON; the text also beside the canvas. */
export function ViewSwitch() {
  const { view, beside, drafts } = useViews();
  const unread = useStudio((state) => state.unread?.view);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (unread !== undefined) event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [unread]);
  const waits = (one: View): boolean => one !== "canvas" && (drafts[one] !== null || unread === one);
  return (
    <div className="segments" role="group" aria-label="View">
      {VIEWS.map(([one, title, key]) => (
        <button
          key={one}
          type="button"
          data-testid={`view-${one}`}
          aria-pressed={view === one}
          title={waits(one) ? "Has text that is not applied to the plan" : `Alt ${key}`}
          onClick={() => showView(one)}
        >
          {title}
          {waits(one) && <span className="dot red" aria-label="not applied" />}
        </button>
      ))}
      {view !== "canvas" && (
        <button
          type="button"
          data-testid="view-beside"
          aria-pressed={beside}
          title="Canvas beside text"
          onClick={() => setBeside(!beside)}
        >
          Split view
        </button>
      )}
    </div>
  );
}
