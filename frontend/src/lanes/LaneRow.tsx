import { memo, useMemo } from "react";
import { clock, length } from "../ui/words";
import { DARK, LIGHT } from "./colours";
import { Corrections } from "./Corrections";
import { figure } from "./figure";
import { toWire, type Lane } from "./lane";
import { LaneLabel, useReading, type Asked } from "./LaneLabel";
import { LanePlot } from "./LanePlot";
import { isIn, leftOf, shareOf } from "./place";
import { register } from "./register";
import { spans, type Reading, type Window } from "./spans";
import { useLanes } from "./store";
import { useDark } from "./useClock";
import { spellReading } from "./words";

/** The tip stands to the left of the cursor where there is no room at the right, and the other way round. */
const tipShift = (share: number): string => `translateX(${String(-Math.round(share * 100))}%)`;

interface TipProps {
  reading: Reading;
  at: number;
  window: Window;
}

function Tip({ reading, at, window }: TipProps) {
  const { from, to } = reading;
  const long = from !== null && to !== null ? length(to - from) : null;
  return (
    <div
      className="tip"
      data-testid="tip"
      style={{ left: leftOf(at, window), transform: tipShift(shareOf(at, window)) }}
    >
      <b>{spellReading(reading)}</b>
      <span>
        {from === null ? "since ever" : `from ${clock(from)}`} {to === null ? "on, open" : `to ${clock(to)}`}
      </span>
      {long && <span>{long} long</span>}
    </div>
  );
}

function useFigure(lane: Lane, window: Window, now: number) {
  const dark = useDark();
  const { kind, pieces, finalUntil } = lane;
  return useMemo(() => {
    const seen = spans(pieces, window, now, finalUntil);
    return figure({ kind, spans: seen, window, finalUntil, theme: dark ? DARK : LIGHT, register });
  }, [kind, pieces, finalUntil, window, now, dark]);
}

/** What is drawn over a lane as the pointer moves; nothing below it is drawn again for that. */
function Over({ name, lane, window, now }: Omit<Props, "asked"> & { name: string }) {
  const cursor = useLanes((state) => state.cursor);
  const pointed = useLanes((state) => state.pointed === name);
  const drawn = useLanes((state) => state.drawn);
  const reading = useReading(lane, now);
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
      {cursor !== null && pointed && !drawn && reading && (
        <Tip reading={reading} at={cursor} window={window} />
      )}
    </>
  );
}

interface Props {
  asked: Asked;
  lane: Lane;
  window: Window;
  now: number;
}

export const LaneRow = memo(function LaneRow({ asked, lane, window, now }: Props) {
  const { name } = asked;
  const drawn = useFigure(lane, window, now);
  const points = useMemo(() => JSON.stringify(toWire(lane)), [lane]);
  return (
    <div
      className={`lane ${lane.kind === "number" || lane.kind === "ratio" ? "lane-number" : ""}`}
      data-testid={`lane-${name}`}
      data-lane={name}
      data-points={points}
      data-seq={lane.seq}
      data-corrections={lane.corrections.length}
    >
      <LaneLabel asked={asked} lane={lane} now={now} />
      <div className="lane-chart">
        <LanePlot figure={drawn} />
        <Corrections corrections={lane.corrections} window={window} />
        <Over name={name} lane={lane} window={window} now={now} />
      </div>
    </div>
  );
});
