import { useCallback, useMemo, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { formatClock, formatOffset } from "../core/time/format";
import { DARK, LIGHT } from "../timechart/colours";
import { LEFT, RIGHT } from "../timechart/figure";
import { isOpenEnded } from "../core/socket/freshness";
import { knownUntil, type Lane } from "../timechart/lane";
import { leftOf, timeAt, widthOf } from "../timechart/timeScale";
import { registerOf } from "../timechart/colourRegister";
import { buildSpans } from "../timechart/spans";
import type { Window } from "../timechart/window";
import { followNow, holdWindow, useLanes } from "./store";
import { paint, type Frame } from "../timechart/strip";
import { useCanvas } from "../timechart/useCanvas";
import { useDark } from "../core/ui/theme";
import { buildWindow, lengthOf, middleOf, panWindow, zoomWindow } from "../timechart/view";
import type { Display } from "../timechart/display";

const GAP = 1;
const GRIP_PX = 6;
const STEP = 0.1;
const ZOOM = 1.5;

type Grip = "start" | "end" | "middle" | "outside";

interface Pull {
  readonly grip: Grip;
  readonly at: number;
  readonly window: Window;
  readonly box: DOMRect;
}

function gripAt(x: number, box: DOMRect, range: Window, { start, end }: Window): Grip {
  const px = (t: number): number => ((t - range.start) / lengthOf(range)) * (box.width - LEFT - RIGHT);
  const here = x - box.left - LEFT;
  if (Math.abs(here - px(start)) <= GRIP_PX) return "start";
  if (Math.abs(here - px(end)) <= GRIP_PX) return "end";
  return here > px(start) && here < px(end) ? "middle" : "outside";
}

function pulled({ grip, at, window }: Pull, t: number): Window {
  if (grip === "middle") return { start: window.start + t - at, end: window.end + t - at };
  if (grip === "start") return buildWindow(Math.min(t, window.end), window.end);
  if (grip === "end") return buildWindow(window.start, Math.max(t, window.start));
  return buildWindow(at, t);
}

/** Pull the brush, its edges, or draw a new one; a click beside it brings it there. */
function useBrush(range: Window, window: Window) {
  const pull = useRef<Pull | null>(null);
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const box = event.currentTarget.getBoundingClientRect();
    const at = timeAt(event.clientX, box, range);
    pull.current = { grip: gripAt(event.clientX, box, range, window), at, window, box };
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const held = pull.current;
    if (held && event.buttons === 1) holdWindow(pulled(held, timeAt(event.clientX, held.box, range)));
  };
  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    const held = pull.current;
    pull.current = null;
    if (held?.grip !== "outside") return;
    const t = timeAt(event.clientX, held.box, range);
    const few = (GRIP_PX / held.box.width) * lengthOf(range);
    if (Math.abs(t - held.at) < few)
      holdWindow(panWindow(held.window, (t - middleOf(held.window)) / lengthOf(held.window)));
  };
  return { onPointerDown, onPointerMove, onPointerUp, onDoubleClick: followNow };
}

function onBrushKey(event: KeyboardEvent, window: Window): void {
  const way = { ArrowLeft: -STEP, ArrowRight: STEP, PageUp: -1, PageDown: 1 }[event.key];
  if (way !== undefined) holdWindow(panWindow(window, way));
  else if (event.key === "+" || event.key === "=") holdWindow(zoomWindow(window, middleOf(window), 1 / ZOOM));
  else if (event.key === "-") holdWindow(zoomWindow(window, middleOf(window), ZOOM));
  else if (event.key === "0") followNow();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function useRows(lanes: readonly Lane[], displays: readonly Display[], range: Window, now: number) {
  const dark = useDark();
  const { start, end } = range;
  return useMemo(() => {
    const strips = lanes.map((lane, i) => {
      const { kind, pieces, leftOut, finalUntil } = lane;
      const window = { start, end };
      const seen = buildSpans(pieces, window, knownUntil(lane, now), finalUntil, leftOut, isOpenEnded(lane));
      return { kind, register: registerOf(pieces, leftOut, displays[i]), leftOut, window, spans: seen };
    });
    return (pen: CanvasRenderingContext2D, frame: Frame) => {
      const height = (frame.height - GAP) / Math.max(1, strips.length) - GAP;
      const inner = { left: LEFT, width: Math.max(1, frame.width - LEFT - RIGHT), height };
      strips.forEach((strip, i) => {
        const place = { ...inner, top: GAP + i * (height + GAP) };
        paint(pen, strip, place, dark ? DARK : LIGHT, strip.register);
      });
    };
  }, [lanes, displays, start, end, now, dark]);
}

function Brush({ range, window }: { range: Window; window: Window }) {
  const start = Math.max(range.start, Math.min(range.end, window.start));
  const end = Math.max(range.start, Math.min(range.end, window.end));
  const onKeyDown = useCallback((event: KeyboardEvent) => onBrushKey(event, window), [window]);
  return (
    <div
      className="brush"
      role="slider"
      tabIndex={0}
      aria-label="Visible time range"
      aria-valuemin={Math.round(range.start / 1000)}
      aria-valuemax={Math.round(range.end / 1000)}
      aria-valuenow={Math.round(window.start / 1000)}
      aria-valuetext={`from ${formatClock(window.start)} to ${formatClock(window.end)} ${formatOffset(window.end)}`}
      title="Drag it or its edges; arrow keys move it, + and - zoom, 0 goes live"
      data-testid="brush"
      style={{ left: leftOf(start, range), width: `max(6px, ${widthOf(start, end, range)})` }}
      onKeyDown={onKeyDown}
    />
  );
}

function OverviewCursor({ range }: { range: Window }) {
  const cursor = useLanes((state) => state.cursor);
  return cursor === null ? null : <div className="cursor" style={{ left: leftOf(cursor, range) }} />;
}

interface Props {
  lanes: readonly Lane[];
  /** How the values of each are shown. */
  displays: readonly Display[];
  /** How many there is room for. */
  some: number;
  /** As of when it is, where that is not now. */
  known: string | null;
  /** How many there are. */
  of: number;
  /** All of time that there is anything of. */
  range: Window;
  window: Window;
  now: number;
}

/** All lanes over all of their time in one strip, with a brush around what is shown below. */
export function Overview({ lanes, displays, some, known, of, range, window, now }: Props) {
  const place = useCanvas(useRows(lanes, displays, range, now));
  return (
    <div className="overview" data-testid="overview">
      <div className="lane-label faint">
        <span className="lane-name">Overview</span>
        {some < of && (
          <span>
            {some} of {of} lanes
          </span>
        )}
        {known !== null && <b data-testid="overview-then">{known}</b>}
      </div>
      <div className="lane-chart" {...useBrush(range, window)}>
        <canvas ref={place} aria-hidden="true" />
        <Brush range={range} window={window} />
        <OverviewCursor range={range} />
      </div>
    </div>
  );
}
