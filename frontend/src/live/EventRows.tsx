import { useEffect, useMemo, useRef, useState } from "react";
import { describeError } from "../core/api/client";
import { streamApi, type Ticks } from "../core/api/streams";
import { EventRequests, NO_TICKS, type LoadedTicks } from "./eventRequests";
import { isIn, leftOf, shareOf } from "../timechart/timeScale";
import { Sheet } from "./Sheet";
import type { Window } from "../timechart/window";
import { useLanes, type View } from "./store";
import {
  countTicks,
  findNearestTick,
  classifyTicks,
  spellTick,
  buildStrokesPath,
  type TickKind,
  type Tick,
} from "./ticks";
import { useAbove } from "./useAbove";
import { lengthOf, widenWindow } from "../timechart/view";

/** So much of the window an event is away from the cursor at most to be told. */
const NEAR = 0.006;
const SORTS: readonly [TickKind, string][] = [
  ["in order", "tick-in-order"],
  ["late", "tick-late"],
  ["too late", "tick-too-late"],
  ["unknown", "tick-unknown"],
];
const NONE: Ticks = { events: [], complete: true, allowed_lateness: 0, retention: 0 };

/** What is known of a stream's events of a key in a window and beside it. */
function useTicks(stream: string, key: string, { window, now }: View): LoadedTicks {
  const [loaded, setTold] = useState(NO_TICKS);
  const paused = useLanes((state) => state.pausedAt !== null);
  const live = now <= window.end && !paused;
  const asking = useRef<EventRequests | null>(null);
  useEffect(() => {
    const eventRequests = new EventRequests({
      ask: ({ start, end }) => streamApi.ticks(stream, key, Math.floor(start), Math.ceil(end)),
      told: setTold,
      inWords: describeError,
      away: () => document.hidden,
    });
    asking.current = eventRequests;
    return () => eventRequests.end();
  }, [stream, key]);
  useEffect(() => asking.current?.look(window, live), [stream, key, window, live]);
  return loaded;
}

function Tip({ ticks, window, at }: { ticks: readonly Tick[]; window: Window; at: number }) {
  const place = useAbove();
  const nearestTick = findNearestTick(ticks, at, NEAR * lengthOf(window));
  if (!nearestTick) return null;
  const [when, came] = spellTick(nearestTick);
  const shift = `translateX(${String(-Math.round(shareOf(nearestTick.t, window) * 100))}%)`;
  return (
    <div
      ref={place}
      className="tip"
      data-testid="event-tip"
      style={{ left: leftOf(nearestTick.t, window), transform: shift }}
    >
      <b>{when}</b>
      <span>{came}</span>
    </div>
  );
}

/** What is told of an event: under the pointer, else where the keys have put the cursor. */
function Cursor({ ticks }: { ticks: readonly Tick[] }) {
  const [inside, setInside] = useState(false);
  const window = useLanes((state) => state.view?.window ?? null);
  const at = useLanes((state) => (inside || state.pointed === null ? state.cursor : null));
  const told = at !== null && window && isIn(at, window);
  return (
    <div
      className="event-over"
      role="status"
      onPointerEnter={() => setInside(true)}
      onPointerLeave={() => setInside(false)}
    >
      {told && <Tip ticks={ticks} window={window} at={at} />}
    </div>
  );
}

function EventRow({ stream, pinned, view }: { stream: string; pinned: string; view: View }) {
  const { ticks: known, failure } = useTicks(stream, pinned, view);
  const ticks = useMemo(() => classifyTicks(known ?? NONE), [known]);
  const { window } = view;
  const seen = ticks.filter(({ t }) => t >= window.start && t <= window.end);
  const sheet = widenWindow(window);
  const told = failure ?? (known ? countTicks(seen, known.complete) : "loading events…");
  return (
    <div className="lane lane-events" data-testid={`events-${stream}`} data-lane="" data-count={seen.length}>
      <div className="lane-label">
        <span className="lane-name" title={`The events of ${stream}`}>
          {stream}
        </span>
        <span
          className={`${failure === null ? "faint" : "bad"} events-told`}
          title={told}
          role={failure === null ? undefined : "status"}
          data-testid={`events-told-${stream}`}
        >
          {failure === null ? told : "Events hidden"}
        </span>
      </div>
      <div className="lane-chart">
        {failure !== null && (
          <span className="events-failure" title={failure}>
            {failure}
          </span>
        )}
        <div className="lane-clip">
          <Sheet window={window}>
            <svg
              className="event-strokes"
              viewBox="0 0 1000 20"
              preserveAspectRatio="none"
              aria-hidden="true"
            >
              {SORTS.map(([sort, name]) => (
                <path key={sort} className={name} d={buildStrokesPath(ticks, sort, sheet)} />
              ))}
            </svg>
          </Sheet>
        </div>
        <Cursor ticks={ticks} />
      </div>
    </div>
  );
}

/** In place of the events of a stream that the plan reads and the one who looks may not. */
function HiddenRow({ stream }: { stream: string }) {
  return (
    <div className="lane lane-events" data-testid={`events-${stream}`} data-lane="">
      <div className="lane-label">
        <span className="lane-name">{stream}</span>
        <span className="faint events-told">Not shared</span>
      </div>
      <div className="lane-chart">
        <span className="events-hidden faint">The events of this stream are not shared with you.</span>
      </div>
    </div>
  );
}

interface RowsProps {
  streams: readonly string[];
  /** Those of which nothing is asked, for they are not shared. */
  hidden: readonly string[];
  view: View;
}

/** The events of the pinned key, a row for each of the streams. */
export function EventRows({ streams, hidden, view }: RowsProps) {
  const key = useLanes((state) => state.key);
  if (key === "") return null;
  // With its key, so that the events of another key never stand under this one.
  return streams.map((stream) =>
    hidden.includes(stream) ? (
      <HiddenRow key={stream} stream={stream} />
    ) : (
      <EventRow key={JSON.stringify([stream, key])} stream={stream} pinned={key} view={view} />
    ),
  );
}
