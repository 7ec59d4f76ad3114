import { useMemo, useState, type MouseEvent } from "react";
import { LEFT, RIGHT } from "../timechart/figure";
import type { Window } from "../timechart/window";
import { useSamples } from "./store";
import { placeOf } from "./Strip";
import { formatExact, formatOffset } from "../core/time/format";
import type { TimedEvent } from "../core/api/samples";

/** So many pixels from an event it is shown. */
const NEAR = 8;

/** One stroke for each event: one path, however many there are. */
function Ticks({ ticks, window }: { ticks: readonly TimedEvent[]; window: Window }) {
  const length = window.end - window.start;
  const seen = ticks.filter(({ t }) => t >= window.start && t <= window.end);
  const path = seen.map(({ t }) => `M${((t - window.start) / length) * 1000} 0V1`).join("");
  return (
    <svg
      className="event-ticks"
      style={{ left: LEFT, width: `calc(100% - ${LEFT + RIGHT}px)` }}
      viewBox="0 0 1000 1"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

function Tip({ tick, window }: { tick: TimedEvent; window: Window }) {
  const left = placeOf({ from: tick.t, to: null }, window)?.left;
  const share = (tick.t - window.start) / (window.end - window.start);
  return (
    <div
      className="tip event-tip"
      style={{ left, transform: `translateX(${String(-Math.round(share * 100))}%)` }}
    >
      <b>
        {formatExact(tick.t, tick.t)} {formatOffset(tick.t)}
      </b>
      {Object.entries(tick.event).map(([name, value]) => (
        <span key={name}>
          {name}: {String(value)}
        </span>
      ))}
    </div>
  );
}

function EventLane({
  stream,
  events,
  window,
}: {
  stream: string;
  events: readonly TimedEvent[];
  window: Window;
}) {
  const [at, point] = useState<{ t: number; near: number } | null>(null);
  const ticks = useMemo(() => [...events].sort((a, b) => a.t - b.t), [events]);
  const nearest =
    at &&
    ticks.reduce<TimedEvent | null>(
      (a, b) => (a && Math.abs(a.t - at.t) <= Math.abs(b.t - at.t) ? a : b),
      null,
    );
  const timedEvent = at && nearest && Math.abs(nearest.t - at.t) <= at.near ? nearest : null;
  const onMove = (event: MouseEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const width = Math.max(box.width - LEFT - RIGHT, 1);
    const length = window.end - window.start;
    point({
      t: window.start + ((event.clientX - box.left - LEFT) / width) * length,
      near: (NEAR / width) * length,
    });
  };
  return (
    <div className="lane lane-events" data-testid={`sample-events-${stream}`} data-count={ticks.length}>
      <div className="lane-label">
        <span className="lane-name">{stream}</span>
        <span className="faint">
          {events.length.toLocaleString("en")} event{events.length === 1 ? "" : "s"}
        </span>
      </div>
      <div className="lane-chart" onMouseMove={onMove} onMouseLeave={() => point(null)}>
        <Ticks ticks={ticks} window={window} />
        {timedEvent && <Tip tick={timedEvent} window={window} />}
      </div>
    </div>
  );
}

/** The raw events of the key, one lane for each stream of the sample. */
export function EventLanes({ window }: { window: Window }) {
  const events = useSamples((state) => state.events);
  return Object.entries(events).map(([stream, some]) => (
    <EventLane key={stream} stream={stream} events={some} window={window} />
  ));
}
