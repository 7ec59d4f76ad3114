import { memo, useCallback, useState } from "react";
import { DARK, LIGHT } from "../timechart/colours";
import { Corrections } from "./Corrections";
import { isOpenEnded } from "../core/socket/freshness";
import { buildFigure, MARKS, TOP, type Figure } from "../timechart/figure";
import { knownUntil, type Lane } from "../timechart/lane";
import { LaneDrawing } from "./LaneDrawing";
import type { Scale } from "../timechart/numbers";
import { shareOf } from "../timechart/timeScale";
import { registerOf } from "../timechart/colourRegister";
import { Sheet } from "./Sheet";
import { buildSpans } from "../timechart/spans";
import type { Window } from "../timechart/window";
import type { View } from "./store";
import { useAsOf, useIsLoading } from "./asOf";
import { useEarlierLane, useShift } from "./earlier";
import { useDark } from "../core/ui/theme";
import { widenWindow } from "../timechart/view";
import { spellValue } from "../timechart/display";
import { useDisplay } from "../timechart/displays";
import { useLimits } from "../timechart/limits";
import { LaneMarks } from "./laneActions";
import type { LaneRef } from "./store";

/** How a view is drawn, with what panning brings into sight. */
function useFigure(name: string, lane: Lane, view: View) {
  const dark = useDark();
  const display = useDisplay(name);
  const limits = useLimits(name);
  const earlier = useEarlierLane(name, lane);
  const shift = useShift() ?? 0;
  const { kind, pieces, leftOut, finalUntil } = lane;
  const open = isOpenEnded(lane);
  const known = knownUntil(lane, view.now);
  return useCallback(() => {
    const { window: sight } = view;
    const window = widenWindow(sight);
    const now = Math.min(known, window.end);
    const part = (one: Window) => buildSpans(pieces, one, now, finalUntil, leftOut, open);
    const seen = [
      ...part({ start: window.start, end: sight.start }),
      ...part({ ...window, start: sight.start }),
    ];
    const theme = dark ? DARK : LIGHT;
    const register = registerOf(pieces, leftOut, display);
    const before = earlier && {
      spans: buildSpans(earlier.pieces, window, known + shift, null, earlier.leftOut, false),
      leftOut: earlier.leftOut,
    };
    return buildFigure({
      kind,
      spans: seen,
      leftOut,
      window,
      sight,
      finalUntil,
      theme,
      register,
      limits,
      before,
    });
  }, [kind, pieces, leftOut, finalUntil, open, known, view, dark, display, limits, earlier, shift]);
}

/** The values of a number's scale, which stand still while the lane is panned. */
function ScaleMarks({ name, scale }: { name: string; scale: Scale }) {
  const display = useDisplay(name);
  return scale.ticks.map((value) => {
    const share = (scale.high - value) / (scale.high - scale.low);
    return (
      <span
        key={value}
        className="scale-mark faint"
        style={{ top: `calc(${TOP}px + (100% - ${TOP + MARKS}px) * ${share})` }}
      >
        {spellValue(value, display)}
      </span>
    );
  });
}

/** Where what was known then differs from what is known now. */
function Differing({ name, window }: { name: string; window: Window }) {
  const waits = useIsLoading(name);
  const told = useAsOf((state) => state.lanes[name]?.then?.differences);
  const differences = waits ? undefined : told;
  const sheet = widenWindow(window);
  const share = (t: number): number => shareOf(Math.min(Math.max(t, sheet.start), sheet.end), sheet) * 100;
  return differences?.map(({ from, to }) => {
    const [start, end] = [share(from ?? -Infinity), share(to ?? Infinity)];
    if (end <= start) return null;
    const style = { left: `${start}%`, width: `max(3px, ${end - start}%)` };
    return <div key={from} className="differing" data-testid="differing" style={style} />;
  });
}

/** Where what is known ends, of a node that has stopped or is behind. */
function Stopped({ lane, view }: { lane: Lane; view: View }) {
  if (isOpenEnded(lane) || lane.pieces.length === 0) return null;
  const share = shareOf(knownUntil(lane, view.now), widenWindow(view.window));
  if (share < 0 || share > 1) return null;
  return <div className="stopped-here" data-testid="stopped-here" style={{ left: `${share * 100}%` }} />;
}

interface Props {
  asked: LaneRef;
  lane: Lane;
  /** What is drawn: what is shown, or was a moment ago. */
  view: View;
}

/** What is drawn of a lane, and what is placed upon it. */
export const LaneChart = memo(function LaneChart({ asked, lane, view }: Props) {
  const { name } = asked;
  const make = useFigure(name, lane, view);
  const [scale, setScale] = useState<Scale | null>(null);
  const done = useCallback((drawn: Figure) => setScale(drawn.scale ?? null), []);
  return (
    <>
      {scale && <ScaleMarks name={name} scale={scale} />}
      <div className="lane-clip">
        <LaneDrawing make={make} window={view.window} done={done} />
        <Sheet window={view.window}>
          <Corrections corrections={lane.corrections} window={view.window} />
          <Differing name={name} window={view.window} />
          <Stopped lane={lane} view={view} />
          <LaneMarks asked={asked} window={view.window} />
        </Sheet>
      </div>
    </>
  );
});
