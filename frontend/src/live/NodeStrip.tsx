import { useMemo } from "react";
import { DARK, LIGHT, swatchOf, hasSwatch } from "../timechart/colours";
import { isOpenEnded } from "../core/socket/freshness";
import { EMPTY, knownUntil, type Lane } from "../timechart/lane";
import { useCursorReading } from "./valueAtCursor";
import { shareOf } from "../timechart/timeScale";
import { registerOf } from "../timechart/colourRegister";
import { buildSpans } from "../timechart/spans";
import { selectShownLanes, useLanes, type View } from "./store";
import { PreviewMark } from "./PreviewMark";
import { paint, type Frame } from "../timechart/strip";
import { useShownLane } from "./asOf";
import { useCanvas } from "../timechart/useCanvas";
import { useDark } from "../core/ui/theme";
import { describeUntil } from "../core/ui/freshnessWords";
import { formatReading, formatReadingShort } from "./words";
import type { Display } from "../timechart/display";
import { useDisplay } from "../timechart/displays";

function useStrip(lane: Lane, { window, now }: View, display: Display) {
  const dark = useDark();
  const { kind, pieces, leftOut, finalUntil } = lane;
  const open = isOpenEnded(lane);
  const known = knownUntil(lane, now);
  return useMemo(() => {
    const strip = {
      kind,
      window,
      leftOut,
      spans: buildSpans(pieces, window, known, finalUntil, leftOut, open),
    };
    return (pen: CanvasRenderingContext2D, frame: Frame) =>
      paint(pen, strip, frame, dark ? DARK : LIGHT, registerOf(pieces, leftOut, display));
  }, [kind, pieces, leftOut, finalUntil, window, known, open, dark, display]);
}

function Cursor({ window }: Pick<View, "window">) {
  const cursor = useLanes((state) => state.cursor);
  const share = cursor === null ? -1 : shareOf(cursor, window);
  if (share < 0 || share > 1) return null;
  return <div className="cursor" style={{ left: `${share * 100}%` }} />;
}

function Strip({ name, lane, view }: { name: string; lane: Lane; view: View }) {
  const dark = useDark();
  const display = useDisplay(name);
  const place = useCanvas(useStrip(lane, view, display));
  const cursorReading = useCursorReading(name, lane, view.now);
  const { reading } = cursorReading;
  const colour =
    reading && hasSwatch(lane.kind, reading.value, display)
      ? swatchOf(reading.value, dark ? DARK : LIGHT, registerOf(lane.pieces, lane.leftOut, display))
      : null;
  const words = formatReading(cursorReading, display);
  return (
    <div className="node-strip" data-testid={`strip-${name}`}>
      <div className="strip-place">
        <canvas ref={place} aria-hidden="true" />
        <Cursor window={view.window} />
      </div>
      <span
        className={`strip-value ${lane.behind ? "not-now" : ""}`}
        data-testid={`value-${name}`}
        title={[words, describeUntil(lane.behind)].filter(Boolean).join("\n")}
      >
        {colour && <span className="swatch" style={{ background: colour }} aria-hidden="true" />}
        <span>{formatReadingShort(cursorReading, display)}</span>
      </span>
      {lane.preview && <PreviewMark />}
    </div>
  );
}

/** On a node of the canvas: its timeline of the pinned key in the lanes' window, and its value at their cursor. */
export function NodeStrip({ name }: { name: string }) {
  const lane = useLanes((state) => selectShownLanes(state)[name]);
  const view = useLanes((state) => state.calm);
  const shown = useShownLane(name, lane ?? EMPTY);
  // What is not known yet of a moment leaves its room.
  if (!view || (lane?.pieces.length ?? 0) === 0) return null;
  return <Strip name={name} lane={shown} view={view} />;
}
