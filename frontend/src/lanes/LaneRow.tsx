import { memo, useCallback, useMemo, useState } from "react";
import { clock, length } from "../ui/words";
import { DARK, LIGHT } from "./colours";
import { Corrections } from "./Corrections";
import { figure, MARKS, TOP, type Figure } from "./figure";
import { toWire, type Lane } from "./lane";
import { useExact, useSaid, type Said } from "./exact";
import { LaneDrawing } from "./LaneDrawing";
import { LaneLabel, type Asked } from "./LaneLabel";
import { isIn, leftOf, shareOf } from "./place";
import type { Scale } from "./numbers";
import { register } from "./register";
import { Sheet } from "./Sheet";
import { spans, type Window } from "./spans";
import { useLanes, type View } from "./store";
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

/** How a view is drawn, with what panning brings into sight. */
function useFigure({ kind, pieces, leftOut, finalUntil }: Lane, view: View) {
  const dark = useDark();
  return useCallback(() => {
    const { window: sight, now: wall } = view;
    const window = widened(sight);
    const now = Math.min(wall, window.end);
    const before = spans(pieces, { start: window.start, end: sight.start }, now, finalUntil, leftOut);
    const seen = [...before, ...spans(pieces, { ...window, start: sight.start }, now, finalUntil, leftOut)];
    const theme = dark ? DARK : LIGHT;
    return figure({ kind, spans: seen, leftOut, window, sight, finalUntil, theme, register });
  }, [kind, pieces, leftOut, finalUntil, view, dark]);
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
function Over({ asked, lane, now }: Omit<Props, "view">) {
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
  /** What is drawn: what is shown, or was a moment ago. */
  view: View;
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

export const LaneRow = memo(function LaneRow({ asked, lane: current, view, now }: Props) {
  const { name } = asked;
  useFollowThen(asked);
  const lane = useShown(name, current);
  const make = useFigure(lane, view);
  const [scale, setScale] = useState<Scale | null>(null);
  const done = useCallback((drawn: Figure) => setScale(drawn.scale ?? null), []);
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
        {scale && <ScaleMarks scale={scale} />}
        <div className="lane-clip">
          <LaneDrawing make={make} window={view.window} done={done} />
          <Sheet window={view.window}>
            <Corrections corrections={lane.corrections} window={view.window} />
            <Differing name={name} window={view.window} />
          </Sheet>
        </div>
        <Over asked={asked} lane={lane} now={now} />
      </div>
    </div>
  );
});
