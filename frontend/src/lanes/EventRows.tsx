import { useEffect, useMemo, useState } from "react";
import { streamApi, type Ticks } from "../api/streams";
import { documentOf, useStudio } from "../editor/store";
import { leftOf, shareOf } from "./place";
import { Sheet } from "./Sheet";
import type { Window } from "./spans";
import { useLanes, type View } from "./store";
import { counted, nearest, sorted, spellTick, strokes, type Sort, type Tick } from "./ticks";
import { lengthOf, widened } from "./view";

/** So often it is asked whether events came, while now is seen. */
const AGAIN_MS = 2000;
/** So much of the window an event is away from the cursor at most to be told. */
const NEAR = 0.006;
const SORTS: readonly [Sort, string][] = [
  ["in order", "tick-in-order"],
  ["late", "tick-late"],
  ["too late", "tick-too-late"],
];
const NONE: Ticks = { events: [], complete: true, allowed_lateness: 0, horizon: 0 };

/** What is known of a stream's events of a key in a window and beside it. */
function useTicks(stream: string, key: string, { window, now }: View): Ticks {
  const [found, setFound] = useState(NONE);
  const paused = useLanes((state) => state.pausedAt !== null);
  const { start, end } = window;
  const live = now <= end && !paused;
  useEffect(() => {
    let current = true;
    let timer = 0;
    const sheet = widened({ start, end });
    const ask = () => {
      void streamApi.ticks(stream, key, Math.floor(sheet.start), Math.ceil(sheet.end)).then(
        (told) => current && setFound(told),
        () => undefined,
      );
      if (live) timer = globalThis.setTimeout(again, AGAIN_MS) as unknown as number;
    };
    const again = () => {
      if (document.hidden) timer = globalThis.setTimeout(again, AGAIN_MS) as unknown as number;
      else ask();
    };
    timer = globalThis.setTimeout(again, 100) as unknown as number;
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [stream, key, start, end, live]);
  return found;
}

function Tip({ ticks, window }: { ticks: readonly Tick[]; window: Window }) {
  const cursor = useLanes((state) => state.cursor);
  const found = cursor === null ? null : nearest(ticks, cursor, NEAR * lengthOf(window));
  if (!found) return null;
  const [when, came] = spellTick(found);
  const shift = `translateX(${String(-Math.round(shareOf(found.t, window) * 100))}%)`;
  return (
    <div className="tip" data-testid="event-tip" style={{ left: leftOf(found.t, window), transform: shift }}>
      <b>{when}</b>
      <span>{came}</span>
    </div>
  );
}

function Cursor({ ticks }: { ticks: readonly Tick[] }) {
  const [inside, setInside] = useState(false);
  const window = useLanes((state) => state.view?.window ?? null);
  return (
    <div
      className="event-over"
      onPointerEnter={() => setInside(true)}
      onPointerLeave={() => setInside(false)}
    >
      {inside && window && <Tip ticks={ticks} window={window} />}
    </div>
  );
}

function EventRow({ stream, pinned, view }: { stream: string; pinned: string; view: View }) {
  const told = useTicks(stream, pinned, view);
  const ticks = useMemo(() => sorted(told), [told]);
  const { window } = view;
  const seen = ticks.filter(({ t }) => t >= window.start && t <= window.end);
  const sheet = widened(window);
  return (
    <div className="lane lane-events" data-testid={`events-${stream}`} data-lane="" data-count={seen.length}>
      <div className="lane-label">
        <span className="lane-name" title={`The events of ${stream}`}>
          {stream}
        </span>
        <span className="faint nowrap" data-testid={`events-told-${stream}`}>
          {counted(seen, told.complete)}
        </span>
      </div>
      <div className="lane-chart">
        <div className="lane-clip">
          <Sheet window={window}>
            <svg
              className="event-strokes"
              viewBox="0 0 1000 20"
              preserveAspectRatio="none"
              aria-hidden="true"
            >
              {SORTS.map(([sort, name]) => (
                <path key={sort} className={name} d={strokes(ticks, sort, sheet)} />
              ))}
            </svg>
          </Sheet>
        </div>
        <Cursor ticks={ticks} />
      </div>
    </div>
  );
}

/** The events of the pinned key, a row for each stream that the plan reads. */
export function EventRows({ view }: { view: View }) {
  const key = useLanes((state) => state.key);
  const document = useStudio(documentOf);
  const streams = useMemo(
    () => [...new Set(Object.values(document.nodes).flatMap(({ stream }) => stream ?? []))].sort(),
    [document],
  );
  if (key === "") return null;
  return streams.map((stream) => <EventRow key={stream} stream={stream} pinned={key} view={view} />);
}
