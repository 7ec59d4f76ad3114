import { ControlButton, MiniMap, useStore, type Node, type ReactFlowState } from "@xyflow/react";
import { useEffect, type PointerEvent } from "react";
import { outputKind } from "../../core/graph/kinds";
import { isCovered, OVERVIEW } from "./fit";
import { setOverlay, showsOverview, toggleOverview, useOverlay } from "./overlay";
import { documentOf, get } from "./store";

function* boxes({ nodeLookup }: ReactFlowState) {
  for (const { type, measured, internals } of nodeLookup.values())
    if (type === "operator")
      yield { ...internals.positionAbsolute, width: measured.width ?? 0, height: measured.height ?? 0 };
}

const wouldCover = (state: ReactFlowState): boolean => isCovered(boxes(state), state);

const point = (pointed: boolean): void => setOverlay({ pointed });

/** What was begun in it goes on outside of it. */
function leave({ buttons }: PointerEvent): void {
  if (buttons === 0) return point(false);
  window.addEventListener("pointerup", () => point(false), { once: true });
}

function colour(node: Node): string {
  const state = get();
  if (node.type !== "operator") return "transparent";
  return `var(--kind-${outputKind(documentOf(state), node.id, state.operators, state.streams)})`;
}

/** All of the plan in a corner of the canvas. It folds away where it would cover a node, unless somebody wants it there. */
export function Minimap() {
  const covers = useStore(wouldCover);
  const pointed = useOverlay((overlay) => overlay.pointed);
  const folded = covers && !pointed;
  useEffect(() => setOverlay({ folded }), [folded]);
  const shown = useOverlay((overlay) => showsOverview({ ...overlay, folded }));
  if (!shown) return null;
  return (
    <div className="minimap-place" onPointerEnter={() => point(true)} onPointerLeave={leave}>
      <MiniMap pannable zoomable ariaLabel="Overview" style={OVERVIEW} nodeColor={colour} />
    </div>
  );
}

export function MinimapButton() {
  const shown = useOverlay(showsOverview);
  return (
    <ControlButton
      className="minimap-button"
      title={`${shown ? "Hide" : "Show"} the overview (M)`}
      aria-label="Overview"
      aria-pressed={shown}
      onClick={toggleOverview}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M1 2h14v12H1z M8 8h7v6H8z" fill="none" stroke="currentColor" strokeWidth="1.5" />
      </svg>
    </ControlButton>
  );
}
