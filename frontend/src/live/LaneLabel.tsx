import { useCursorReading, type CursorReading } from "./valueAtCursor";
import { DARK, LIGHT, swatchOf, hasSwatch } from "../timechart/colours";
import { knownUntil, type Lane } from "../timechart/lane";
import { registerOf } from "../timechart/colourRegister";
import { openWhy, LanePin } from "./laneActions";
import { useLanes, type LaneRef } from "./store";
import { PreviewMark } from "./PreviewMark";
import { useDark } from "../core/ui/theme";
import { formatUntilShort, describeUntil } from "../core/ui/freshnessWords";
import { formatClock, formatOffset } from "../core/time/format";
import { formatReading } from "./words";
import { useDisplay } from "../timechart/displays";
import { useSaidEarlier } from "./earlierValue";

function Value({ name, lane, said }: { name: string; lane: Lane; said: CursorReading }) {
  const dark = useDark();
  const display = useDisplay(name);
  const { reading, busy } = said;
  const colour =
    reading && hasSwatch(lane.kind, reading.value, display)
      ? swatchOf(reading.value, dark ? DARK : LIGHT, registerOf(lane.pieces, lane.leftOut, display))
      : null;
  const silent = lane.error ?? (lane.version < 0 && lane.seq >= 0 ? "no data yet" : "");
  const spelled = reading || busy ? formatReading(said, display) : silent;
  return (
    <span
      className={`lane-value ${lane.behind ? "not-now" : ""}`}
      title={[spelled, describeUntil(lane.behind)].filter(Boolean).join(" · ")}
    >
      {colour && <span className="swatch" style={{ background: colour }} aria-hidden="true" />}
      <span className="lane-words">{spelled}</span>
    </span>
  );
}

/** What it said in the period with which it is compared. */
function Earlier({ name, lane, now }: { name: string; lane: Lane; now: number }) {
  const words = useSaidEarlier(name, lane, now);
  return (
    words !== "" && (
      <span className="lane-earlier" data-testid="lane-earlier" title={words}>
        {words}
      </span>
    )
  );
}

export function LaneLabel({ asked, lane, now }: { asked: LaneRef; lane: Lane; now: number }) {
  const { name } = asked;
  const cursorReading = useCursorReading(name, lane, now);
  const isTold = lane.pieces.length > 0 && !lane.preview;
  const corrected = lane.corrections.length > 0 ? `${lane.corrections.length} corrected` : "";
  return (
    <div className="lane-label lane-head">
      <span className="lane-name" title={name}>
        {name}
      </span>
      <Value name={name} lane={lane} said={cursorReading} />
      <span className="lane-foot">
        {lane.behind?.late && !cursorReading.projected && (
          <span className="until" title={describeUntil(lane.behind)}>
            {formatUntilShort(lane.behind)}
          </span>
        )}
        <Earlier name={name} lane={lane} now={now} />
        <span
          className="lane-corrections faint"
          title="Stretches that late events corrected while this page was open"
        >
          {corrected}
        </span>
        {lane.cutAt !== null && (
          <span
            className="faint"
            title="Earlier changes are not shown. The REST API pages through all of them."
          >
            from {formatClock(lane.cutAt)} {formatOffset(lane.cutAt)}; more before
          </span>
        )}
        {lane.preview && <PreviewMark />}
        {isTold && <LanePin name={name} quiet />}
        {isTold && (
          <button
            type="button"
            className="quiet lane-why"
            aria-label={`Why is ${name} so?`}
            onClick={() => openWhy(asked, useLanes.getState().cursor ?? knownUntil(lane, now))}
          >
            Why?
          </button>
        )}
      </span>
    </div>
  );
}
