import { memo, useCallback, useState } from "react";
import { DARK, LIGHT } from "./colours";
import { Corrections } from "./Corrections";
import { figure, MARKS, TOP, type Figure } from "./figure";
import type { Lane } from "./lane";
import { LaneDrawing } from "./LaneDrawing";
import type { Scale } from "./numbers";
import { shareOf } from "./place";
import { registerOf } from "./register";
import { Sheet } from "./Sheet";
import { spans, type Window } from "./spans";
import type { View } from "./store";
import { useThen } from "./then";
import { useDark } from "./useClock";
import { widened } from "./view";
import { spellValue } from "./words";

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
    const register = registerOf(pieces, leftOut);
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

interface Props {
  name: string;
  lane: Lane;
  /** What is drawn: what is shown, or was a moment ago. */
  view: View;
}

/** What is drawn of a lane, and what is placed upon it. */
export const LaneChart = memo(function LaneChart({ name, lane, view }: Props) {
  const make = useFigure(lane, view);
  const [scale, setScale] = useState<Scale | null>(null);
  const done = useCallback((drawn: Figure) => setScale(drawn.scale ?? null), []);
  return (
    <>
      {scale && <ScaleMarks scale={scale} />}
      <div className="lane-clip">
        <LaneDrawing make={make} window={view.window} done={done} />
        <Sheet window={view.window}>
          <Corrections corrections={lane.corrections} window={view.window} />
          <Differing name={name} window={view.window} />
        </Sheet>
      </div>
    </>
  );
});
