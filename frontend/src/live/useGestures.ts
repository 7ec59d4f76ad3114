/** The pointer over the lanes: it sets the cursor, a stroke zooms, a stroke with Shift pans, a click asks why. */
import { useEffect, useMemo, useRef, type PointerEvent, type RefObject } from "react";
import { timeAt } from "../timechart/timeScale";
import { setDrawnWindow, followNow, holdWindow, setPointer, useLanes, type View } from "./store";
import type { Window } from "../timechart/window";
import { buildWindow, panWindow, zoomWindow } from "../timechart/view";

const CLICK_PX = 4;
const ZOOM_A_PIXEL = 1.0016;

interface Stroke {
  readonly box: DOMRect;
  readonly lane: string;
  readonly x: number;
  readonly view: View;
  readonly pans: boolean;
  moved: boolean;
}

interface Spot {
  readonly box: DOMRect;
  readonly lane: string;
}

function spotOf(target: EventTarget): Spot | null {
  const chart = target instanceof Element ? target.closest(".lane-chart") : null;
  const lane = chart?.closest("[data-lane]")?.getAttribute("data-lane");
  return chart && lane != null ? { box: chart.getBoundingClientRect(), lane } : null;
}

const shown = (): View | null => useLanes.getState().view;

function hover(target: EventTarget, x: number): void {
  const [spot, view] = [spotOf(target), shown()];
  const t = spot && view ? timeAt(x, spot.box, view.window) : null;
  const inside = t !== null && view && t >= view.window.start && t <= view.window.end;
  setPointer(spot?.lane ?? null, inside ? Math.min(t, view.now) : null);
}

function pull(stroke: Stroke, x: number): void {
  stroke.moved ||= Math.abs(x - stroke.x) > CLICK_PX;
  if (!stroke.moved) return;
  const { box, view } = stroke;
  const [from, to] = [timeAt(stroke.x, box, view.window), timeAt(x, box, view.window)];
  if (stroke.pans) holdWindow({ start: view.window.start + from - to, end: view.window.end + from - to });
  else setDrawnWindow(cut(buildWindow(from, to), view.window));
}

const cut = (one: Window, by: Window): Window => ({
  start: Math.max(one.start, by.start),
  end: Math.min(one.end, by.end),
});

function release(stroke: Stroke, x: number, why: (lane: string, at: number) => void): void {
  const { drawn } = useLanes.getState();
  setDrawnWindow(null);
  if (!stroke.moved) {
    const { window, now } = stroke.view;
    const at = timeAt(x, stroke.box, window);
    if (at >= window.start && at <= window.end) why(stroke.lane, Math.min(now, at));
  } else if (!stroke.pans && drawn && drawn.end > drawn.start) holdWindow(drawn);
}

/** Ctrl and the wheel zooms around the pointer, Shift and the wheel (or a wheel that turns sideways) pans. */
function turn(event: WheelEvent): void {
  const [spot, view] = [event.target && spotOf(event.target), shown()];
  if (!spot || !view) return;
  const { window } = view;
  const sideways = event.deltaX !== 0 ? event.deltaX : event.shiftKey ? event.deltaY : 0;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    holdWindow(zoomWindow(window, timeAt(event.clientX, spot.box, window), ZOOM_A_PIXEL ** event.deltaY));
  } else if (sideways !== 0) {
    event.preventDefault();
    holdWindow(panWindow(window, sideways / spot.box.width));
  }
}

function useWheel(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = place.current;
    element?.addEventListener("wheel", turn, { passive: false });
    return () => element?.removeEventListener("wheel", turn);
  }, [place]);
}

/** Handlers for the element that holds all lanes. */
export function useGestures(place: RefObject<HTMLElement | null>, why: (lane: string, at: number) => void) {
  const stroke = useRef<Stroke | null>(null);
  useWheel(place);
  return useMemo(
    () => ({
      onPointerDown: (event: PointerEvent) => {
        const [spot, view] = [spotOf(event.target), shown()];
        if (event.button > 1 || !spot || !view) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const pans = event.shiftKey || event.button === 1;
        stroke.current = { ...spot, x: event.clientX, view, pans, moved: false };
      },
      onPointerMove: (event: PointerEvent) => {
        if (stroke.current) pull(stroke.current, event.clientX);
        else hover(event.target, event.clientX);
      },
      onPointerUp: (event: PointerEvent) => {
        if (stroke.current) release(stroke.current, event.clientX, why);
        stroke.current = null;
      },
      onPointerCancel: () => {
        stroke.current = null;
        setDrawnWindow(null);
      },
      onPointerLeave: () => setPointer(null, null),
      onDoubleClick: (event: React.MouseEvent) => {
        if (spotOf(event.target)) followNow();
      },
    }),
    [why],
  );
}
