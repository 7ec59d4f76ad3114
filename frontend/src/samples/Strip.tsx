import { useState, type KeyboardEvent, type PointerEvent } from "react";
import { LEFT, RIGHT } from "../timechart/figure";
import type { Window } from "../timechart/window";
import { findStretchAround, snapToEdge } from "./answer";
import type { Stretch } from "./paint";
import { formatExact, formatOffset } from "../core/time/format";

/** So many pixels from an edge the stroke takes the edge; a stroke shorter than that is a click. */
const NEAR = 6;

interface Props {
  label: string;
  window: Window;
  edges: readonly number[];
  /** Paint a stretch, or wipe it away. */
  paint: (stretch: Stretch, wipe: boolean) => void;
  children: React.ReactNode;
}

/** Where a stretch lies in a chart. */
export function placeOf({ from, to }: Stretch, window: Window): { left: string; width: string } | null {
  const start = Math.max(window.start, from ?? -Infinity);
  const end = Math.min(window.end, to ?? Infinity);
  if (end <= start) return null;
  const share = (t: number): number => (t - window.start) / (window.end - window.start);
  const wide = `(100% - ${LEFT + RIGHT}px)`;
  return {
    left: `calc(${LEFT}px + ${wide} * ${share(start)})`,
    width: `max(3px, calc(${wide} * ${share(end) - share(start)}))`,
  };
}

interface Begun {
  x: number;
  shown: Stretch | null;
}

/** Painting with the mouse: a drag is a stretch, a click the stretch between two edges. */
function useStrokes({ window, edges, paint }: Pick<Props, "window" | "edges" | "paint">) {
  const [begun, begin] = useState<Begun | null>(null);
  const timeAt = (place: HTMLElement, x: number): { t: number; near: number } => {
    const box = place.getBoundingClientRect();
    const width = Math.max(box.width - LEFT - RIGHT, 1);
    const length = window.end - window.start;
    const share = Math.min(1, Math.max(0, (x - box.left - LEFT) / width));
    return { t: window.start + share * length, near: (NEAR / width) * length };
  };
  const stretch = (place: HTMLElement, start: number, x: number): Stretch => {
    const [low, high] = [timeAt(place, Math.min(start, x)), timeAt(place, Math.max(start, x))];
    // Where everything is seen, the rim of the chart is since ever, or open.
    const from = low.t <= window.start && window.start <= (edges[0] ?? Infinity) ? null : low.t;
    const to = high.t >= window.end && window.end >= (edges.at(-1) ?? -Infinity) ? null : high.t;
    return {
      from: from === null ? null : snapToEdge(from, edges, low.near),
      to: to === null ? null : snapToEdge(to, edges, high.near),
    };
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    begin({ x: event.clientX, shown: null });
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (begun) begin({ x: begun.x, shown: stretch(event.currentTarget, begun.x, event.clientX) });
  };
  const onPointerUp = (event: PointerEvent<HTMLDivElement>) => {
    if (!begun) return;
    const { currentTarget: place, clientX: x } = event;
    const dragged = Math.abs(x - begun.x) >= NEAR;
    paint(dragged ? stretch(place, begun.x, x) : findStretchAround(timeAt(place, x).t, edges), event.altKey);
    begin(null);
  };
  const handlers = { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: () => begin(null) };
  return { shown: begun?.shown ?? null, handlers };
}

/** Painting with the keyboard: arrows go from edge to edge, with Shift they choose, Enter paints, Delete wipes. */
function useCaret({ edges, paint }: Pick<Props, "edges" | "paint">) {
  const [caret, setCaret] = useState<{ at: number; anchor: number } | null>(null);
  const ends = [null, ...edges, null];
  const last = ends.length - 1;
  const at = Math.min(caret?.at ?? 1, last);
  const anchor = Math.min(caret?.anchor ?? at, last);
  const [low, high] = [Math.min(at, anchor), Math.max(at, anchor)];
  const chosen: Stretch = {
    from: ends[low] ?? null,
    to: ends[low === high ? Math.min(high + 1, last) : high] ?? null,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last }[event.key];
    if (step !== undefined) {
      const next = Math.min(last - (event.shiftKey ? 0 : 1), Math.max(0, at + step));
      setCaret({ at: next, anchor: event.shiftKey ? anchor : next });
    } else if (event.key === "Enter" || event.key === " ") paint(chosen, false);
    else if (event.key === "Delete" || event.key === "Backspace") paint(chosen, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    at,
    last,
    chosen,
    handlers: { onKeyDown, onBlur: () => setCaret(null), onFocus: () => setCaret({ at, anchor: at }) },
    shown: caret !== null,
  };
}

function words({ from, to }: Stretch): string {
  const near = from ?? to;
  if (near === null) return "since the beginning on";
  const start = from === null ? "since the beginning" : `from ${formatExact(from, near)}`;
  return `${start} ${to === null ? "on" : `to ${formatExact(to, near)}`} ${formatOffset(to ?? near)}`;
}

/** What is expected of a node, to be painted over. */
export function Strip({ label, window, edges, paint, children }: Props) {
  const strokes = useStrokes({ window, edges, paint });
  const caret = useCaret({ edges, paint });
  const stretch = strokes.shown ?? (caret.shown ? caret.chosen : null);
  const mark = stretch && placeOf(stretch, window);
  return (
    <div
      className="paint-strip"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={caret.last}
      aria-valuenow={caret.at}
      aria-valuetext={words(caret.chosen)}
      title="Drag to paint, click to fill between two changes, with Alt to wipe. Keys: arrows, Shift with arrows, Enter, Delete."
      {...strokes.handlers}
      {...caret.handlers}
    >
      {children}
      {mark && <div className="painted" style={mark} />}
      {stretch && <span className="painted-words">{words(stretch)}</span>}
    </div>
  );
}
