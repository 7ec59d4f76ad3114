import { useEffect, useRef, type PointerEvent, type RefObject } from "react";
import { edgeNow, knownUntil, nowOf, onFrame, windowOf } from "./clock";
import type { LaneFeed } from "./feeds";
import { useFollow, useSeen, useTheme, useTypeSize } from "./hooks";
import { isOpenEnded } from "../core/socket/freshness";
import type { Mapping } from "./frame";
import type { Painter } from "./painters";
import { useZone } from "../core/time/zone";
import { Plot } from "./Plot";
import { cursorOf, get, lookAtNow, lookAtStretch, pinCursor, setPointer, useBoard } from "./store";

interface Props {
  feeds: readonly LaneFeed[];
  /** How it is drawn, from what the feeds say now. */
  painterOf: () => Painter;
  label: string;
}

/** The least of what is final in all feeds; null where one does not know. */
function finalUntil(feeds: readonly LaneFeed[]): number | null {
  const times = feeds.map((feed) => feed.state.finalUntil);
  return times.some((time) => time === null) ? null : Math.min(...(times as number[]));
}

const DRAG = 4;

/** Pointing moves the cursor of all charts, a click leaves it there, a drag looks closer. */
function usePointing(plot: RefObject<Plot | null>) {
  const selection = useRef<HTMLDivElement>(null);
  const pressed = useRef<{ x: number; t: number } | null>(null);
  const place = (event: PointerEvent): { x: number; t: number } | null => {
    const at = plot.current?.at;
    if (!at) return null;
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return { x, t: at.t(Math.max(at.left, Math.min(at.right, x))) };
  };
  const mark = (from: number, to: number) => {
    const style = selection.current?.style;
    if (!style) return;
    style.left = `${Math.min(from, to)}px`;
    style.width = `${Math.abs(to - from)}px`;
  };
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      pressed.current = place(event);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const found = place(event);
      setPointer(found === null ? null : Math.min(found.t, edgeNow().now));
      if (found && pressed.current) mark(pressed.current.x, found.x);
    },
    onPointerUp: (event: PointerEvent) => {
      const [from, to] = [pressed.current, place(event)];
      pressed.current = null;
      mark(0, 0);
      if (!from || !to) return;
      if (Math.abs(to.x - from.x) > DRAG)
        lookAtStretch({
          start: Math.round(Math.min(from.t, to.t)),
          end: Math.round(Math.max(from.t, to.t)),
        });
      else pinCursor(get().view.cursor === null ? Math.round(Math.min(to.t, edgeNow().now)) : null);
    },
    onPointerLeave: () => {
      if (!pressed.current) setPointer(null);
    },
    onPointerCancel: () => {
      pressed.current = null;
      mark(0, 0);
      setPointer(null);
    },
    onDoubleClick: lookAtNow,
  };
  return { selection, handlers };
}

/** Draw while it is seen: in a frame in which something changed, and the cursor wherever it goes. */
function useDrawing({ feeds, painterOf }: Props, plot: RefObject<Plot | null>) {
  const place = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLDivElement>(null);
  const bare = useRef<HTMLParagraphElement>(null);
  const seen = useSeen(place);
  const theme = useTheme();
  const type = useTypeSize();
  const zone = useZone();
  useFollow(feeds, seen);
  useEffect(() => {
    const element = place.current;
    if (!seen || !element) return;
    let painter: Painter | null = null;
    let size = { width: element.clientWidth, height: element.clientHeight };
    const sizes = new ResizeObserver(() => {
      size = { width: element.clientWidth, height: element.clientHeight };
    });
    sizes.observe(element);
    const stir = (since: number) => {
      painter = null;
      plot.current?.changed(since);
    };
    stir(-Infinity);
    const moveCursor = () => showCursor(line.current, plot.current?.at ?? null);
    const draw = () => {
      if (size.width < 40 || size.height < 40) return;
      const state = get();
      painter ??= painterOf();
      const [window, now] = [windowOf(state), knownUntil(feeds, nowOf(state))];
      plot.current?.draw({
        painter,
        window,
        now,
        finalUntil: finalUntil(feeds),
        goesOn: feeds.length === 0 || feeds.some((feed) => isOpenEnded(feed.state)),
        theme,
        box: { ...size, type },
      });
      // Of what nothing is known at all, that is said where its keys are.
      const told = feeds.some(({ state }) => state.pieces.length > 0);
      if (bare.current) bare.current.hidden = !told || plot.current?.isBare !== true;
      moveCursor();
    };
    const ends = [...feeds.map((feed) => feed.listen(stir)), onFrame(draw), useBoard.subscribe(moveCursor)];
    draw();
    return () => {
      ends.forEach((end) => end());
      sizes.disconnect();
    };
  }, [feeds, painterOf, seen, theme, type, zone, plot]);
  return { place, line, bare };
}

function showCursor(line: HTMLElement | null, at: Mapping | null): void {
  if (!line || !at) return;
  const cursor = cursorOf(get());
  const x = cursor === null ? -1 : at.x(cursor);
  line.style.transform = `translateX(${x}px)`;
  line.hidden = x < at.left || x > at.right;
}

/** A chart over time. It is drawn while it is seen, where something changed, and never by React. */
export function TimeChart(props: Props) {
  const ground = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const plot = useRef<Plot | null>(null);
  useEffect(() => {
    if (!ground.current || !canvas.current) return;
    const made = new Plot(ground.current, canvas.current);
    plot.current = made;
    return () => {
      made.end();
      plot.current = null;
    };
  }, []);
  const { place, line, bare } = useDrawing(props, plot);
  const { selection, handlers } = usePointing(plot);
  return (
    <div className="time-chart" ref={place} role="img" aria-label={props.label} {...handlers}>
      <div className="time-chart-ground" ref={ground} />
      <canvas className="time-chart-live" ref={canvas} />
      <div className="time-chart-selection" ref={selection} />
      <div className="time-chart-cursor" ref={line} hidden />
      <p className="chart-empty faint" ref={bare} hidden>
        No values in this time range.
      </p>
    </div>
  );
}
