import { memo, useMemo, useRef, useState } from "react";
import { formatClock, formatOffset } from "../core/time/format";
import { formatLength } from "../core/ui/format";
import { useCursorReading, type CursorReading } from "./valueAtCursor";
import { toWire, type Lane } from "../timechart/lane";
import { LaneChart } from "./LaneChart";
import { LaneLabel } from "./LaneLabel";
import { useZone } from "../core/time/zone";
import type { LaneRef } from "./store";
import { useIsVisible } from "./visibleLanes";
import { isIn, leftOf, shareOf } from "../timechart/timeScale";
import type { Window } from "../timechart/window";
import { useLanes, type View } from "./store";
import { useShownLane, useIsLoading } from "./asOf";
import { useAbove } from "./useAbove";
import { formatLeftOut, formatReading } from "./words";
import { useDisplay } from "../timechart/displays";
import { useSaidEarlier } from "./earlierValue";

/** The tip stands to the left of the cursor where there is no room at the right, and the other way round. */
const tipShift = (share: number): string => `translateX(${String(-Math.round(share * 100))}%)`;

interface TipProps {
  name: string;
  said: CursorReading;
  at: number;
  window: Window;
  /** Its node has stopped. */
  stopped: boolean;
  /** What it said in the period with which it is compared. */
  earlier: string;
}

function Tip({ name, said, at, window, stopped, earlier }: TipProps) {
  const display = useDisplay(name);
  const { from, to } = said.reading ?? { from: null, to: null };
  const busy = formatLeftOut(said);
  const place = useAbove();
  const long = from !== null && to !== null ? formatLength(to - from) : null;
  return (
    <div
      ref={place}
      className="tip"
      data-testid="tip"
      style={{ left: leftOf(at, window), transform: tipShift(shareOf(at, window)) }}
    >
      <b>{formatReading(said, display)}</b>
      {busy ? (
        <span className="tip-busy">{busy}</span>
      ) : (
        <span>
          {from === null ? "since the beginning" : `from ${formatClock(from)}`}{" "}
          {to === null ? (stopped ? "on, until it stopped" : "on, open") : `to ${formatClock(to)}`}{" "}
          {formatOffset(to ?? from ?? at)}
        </span>
      )}
      {long && <span>{long} long</span>}
      {earlier !== "" && <span data-testid="tip-earlier">{earlier}</span>}
    </div>
  );
}

/** What is drawn over a lane as the pointer moves; nothing below it is drawn again for that. */
function Over({ name, lane, now }: { name: string; lane: Lane; now: number }) {
  const window = useLanes((state) => state.view?.window ?? NOTHING);
  const cursor = useLanes((state) => state.cursor);
  const pointed = useLanes((state) => state.pointed === name);
  const drawn = useLanes((state) => state.drawn);
  const cursorReading = useCursorReading(name, lane, now);
  const earlier = useSaidEarlier(name, lane, now);
  return (
    <>
      {drawn && (
        <div
          className="stroke"
          style={{
            left: leftOf(drawn.start, window),
            width: `calc(${leftOf(drawn.end, window)} - ${leftOf(drawn.start, window)})`,
          }}
        />
      )}
      {cursor !== null && isIn(cursor, window) && (
        <div className="cursor" style={{ left: leftOf(cursor, window) }} />
      )}
      {cursor !== null && pointed && !drawn && (cursorReading.reading || cursorReading.busy) && (
        <Tip
          {...{ name, said: cursorReading, window, earlier }}
          at={cursor}
          stopped={lane.stoppedAt !== null}
        />
      )}
    </>
  );
}

const NOTHING: Window = { start: 0, end: 1 };
/** A lane of more pieces does not tell them all in the page. */
const TOLD = 500;

interface Props {
  asked: LaneRef;
  lane: Lane;
  /** What is drawn: what is shown, or was a moment ago. */
  view: View;
  now: number;
}

/** Whether a lane is that of a number, also while it is not followed. */
function useTall({ kind }: Lane): boolean {
  const [tall, setTall] = useState(false);
  const told = kind === null ? tall : kind === "number" || kind === "ratio";
  if (told !== tall) setTall(told);
  return told;
}

/** A lane. What lies out of sight is not drawn. */
export const LaneRow = memo(function LaneRow({ asked, lane: current, view, now }: Props) {
  const { name } = asked;
  useZone();
  const place = useRef<HTMLDivElement>(null);
  const near = useIsVisible(name, place);
  const lane = useShownLane(name, current);
  const waits = useIsLoading(name);
  const points = useMemo(
    () => (lane.pieces.length <= TOLD ? JSON.stringify(toWire(lane)) : undefined),
    [lane],
  );
  return (
    <div
      ref={place}
      className={`lane ${useTall(lane) ? "lane-number" : ""}`}
      data-testid={`lane-${name}`}
      data-lane={name}
      data-points={points}
      data-seq={lane.seq}
      data-corrections={lane.corrections.length}
      data-left-out={lane.leftOut.length}
    >
      <LaneLabel asked={asked} lane={lane} now={now} />
      <div className="lane-chart">
        {waits && <div className="lane-waits" data-testid="lane-waits" />}
        {near && <LaneChart asked={asked} lane={lane} view={view} />}
        {near && <Over name={name} lane={lane} now={now} />}
      </div>
    </div>
  );
});
