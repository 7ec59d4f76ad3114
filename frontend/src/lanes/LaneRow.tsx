import { memo, useMemo } from "react";
import { clock, length } from "../ui/words";
import { DARK, LIGHT } from "./colours";
import { Corrections } from "./Corrections";
import { figure, MARKS, TOP, type Scale } from "./figure";
import { toWire, type Lane } from "./lane";
import { useExact, useSaid, type Said } from "./exact";
import { LaneLabel, type Asked } from "./LaneLabel";
import { LanePlot } from "./LanePlot";
import { isIn, leftOf, shareOf } from "./place";
import { register } from "./register";
import { spans, type Window } from "./spans";
import { useLanes } from "./store";
import { useFollowThen, useShown, useThen } from "./then";
import { useDark } from "./useClock";
import { spellBusy, spellSaid, spellValue } from "./words";
import { widened } from "./view";

/** The tip stands to the left of the cursor where there is no room at the right, and the other way round. */
const tipShift = (share: number): string => `translateX(${String(-Math.round(share * 100))}%)`;

interface TipProps {
  said: Said;
  at: number;
  window: Window;
}

function Tip({ said, at, window }: TipProps) {
  const { from, to } = said.reading ?? { from: null, to: null };
  const busy = spellBusy(said);
  const long = from !== null && to !== null ? length(to - from) : null;
  return (
    <div
      className="tip"
      data-testid="tip"
      style={{ left: leftOf(at, window), transform: tipShift(shareOf(at, window)) }}
    >
      <b>{spellSaid(said)}</b>
      {busy ? (
        <span className="tip-busy">{busy}</span>
      ) : (
        <span>
          {from === null ? "since ever" : `from ${clock(from)}`}{" "}
          {to === null ? "on, open" : `to ${clock(to)}`}
        </span>
      )}
      {long && <span>{long} long</span>}
    </div>
  );
}

/** The drawing of a window and of what panning brings into sight. */
function useFigure({ kind, pieces, leftOut, finalUntil }: Lane, sight: Window, wall: number) {
  const dark = useDark();
  const window = useMemo(() => widened(sight), [sight]);
  const now = Math.min(wall, window.end);
  return useMemo(() => {
    const before = spans(pieces, { start: window.start, end: sight.start }, now, finalUntil, leftOut);
    const seen = [...before, ...spans(pieces, { ...window, start: sight.start }, now, finalUntil, leftOut)];
    const theme = dark ? DARK : LIGHT;
    return figure({ kind, spans: seen, leftOut, window, sight, finalUntil, theme, register });
  }, [kind, pieces, leftOut, finalUntil, window, sight, now, dark]);
}

/** The values of a number's scale, which stand still while the lane is panned. */
function ScaleMarks({ scale }: { scale: Scale }) {
  return scale.ticks.map((value) => {
    const share = (scale.high - value) / (scale.high - scale.low);
    return (
      <span
        key={value}
        className="scale-mark faint"
        style={{ top: `calc(${TOP}px + (100% - ${TOP + MARKS}px) * ${share})` }}
      >
        {spellValue(value)}
      </span>
    );
  });
}

/** What is drawn over a lane as the pointer moves; nothing below it is drawn again for that. */
function Over({ asked, lane, now }: Omit<Props, "window">) {
  const { name } = asked;
  const window = useLanes((state) => state.view?.window ?? NOTHING);
  const cursor = useLanes((state) => state.cursor);
  const pointed = useLanes((state) => state.pointed === name);
  const drawn = useLanes((state) => state.drawn);
  const said = useSaid(name, lane, now);
  useExact(asked, lane);
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
      {cursor !== null && pointed && !drawn && (said.reading || said.busy) && (
        <Tip said={said} at={cursor} window={window} />
      )}
    </>
  );
}

const NOTHING: Window = { start: 0, end: 1 };
/** A lane of more pieces does not tell them all in the page. */
const TOLD = 500;

interface Props {
  asked: Asked;
  lane: Lane;
  /** What is drawn: the stretch that is shown, or was a moment ago. */
  window: Window;
  now: number;
}

/** Where what was known then differs from what is known now. */
function Differing({ name, window }: { name: string; window: Window }) {
  const differences = useThen((state) => state.lanes[name]?.then?.differences);
  const sheet = widened(window);
  const share = (t: number): number => shareOf(Math.min(Math.max(t, sheet.start), sheet.end), sheet) * 100;
  return differences?.map(({ from, to }) => {
    const [start, end] = [share(from ?? -Infinity), share(to ?? Infinity)];
    if (end <= start) return null;
    const style = { left: `${start}%`, width: `max(3px, ${end - start}%)` };
    return <div key={from} className="differing" data-testid="differing" style={style} />;
  });
}

export const LaneRow = memo(function LaneRow({ asked, lane: current, window, now }: Props) {
  const { name } = asked;
  useFollowThen(asked);
  const lane = useShown(name, current);
  const drawn = useFigure(lane, window, now);
  const points = useMemo(
    () => (lane.pieces.length <= TOLD ? JSON.stringify(toWire(lane)) : undefined),
    [lane],
  );
  return (
    <div
      className={`lane ${lane.kind === "number" || lane.kind === "ratio" ? "lane-number" : ""}`}
      data-testid={`lane-${name}`}
      data-lane={name}
      data-points={points}
      data-seq={lane.seq}
      data-corrections={lane.corrections.length}
      data-left-out={lane.leftOut.length}
    >
      <LaneLabel asked={asked} lane={lane} now={now} />
      <div className="lane-chart">
        {drawn.scale && <ScaleMarks scale={drawn.scale} />}
        <div className="lane-clip">
          <div className="lane-sheet">
            <LanePlot figure={drawn} />
            <Corrections corrections={lane.corrections} window={window} />
            <Differing name={name} window={window} />
          </div>
        </div>
        <Over asked={asked} lane={lane} now={now} />
      </div>
    </div>
  );
});
