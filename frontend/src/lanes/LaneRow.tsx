import { useMemo, useRef, type MouseEvent } from "react";
import { PinButton } from "../dashboards/PinButton";
import { clock, length } from "../ui/words";
import { colourOf, DARK, LIGHT } from "./colours";
import { Corrections } from "./Corrections";
import { figure, LEFT, RIGHT } from "./figure";
import { toWire, type Lane } from "./lane";
import { LanePlot } from "./LanePlot";
import { register } from "./register";
import { readingAt, spans, type Reading, type Window } from "./spans";
import { setCursor } from "./store";
import { useDark } from "./useClock";

export function spellReading({ value, slope }: Reading): string {
  if (value === null) return "unknown";
  if (typeof value !== "number") return String(value);
  const number = Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 3 });
  return slope === 0 ? number : `${number} (${slope > 0 ? "+" : ""}${Number(slope.toPrecision(4))}/s)`;
}

/** The tip stands to the left of the cursor where there is no room at the right, and the other way round. */
const tipShift = (share: number): string => `translateX(${String(-Math.round(share * 100))}%)`;

function Tip({ reading, left, share }: { reading: Reading; left: string; share: number }) {
  const { from, to } = reading;
  const long = from !== null && to !== null ? length(to - from) : null;
  return (
    <div className="tip" style={{ left, transform: tipShift(share) }}>
      <b>{spellReading(reading)}</b>
      <span>
        {from === null ? "since ever" : `from ${clock(from)}`} {to === null ? "on, open" : `to ${clock(to)}`}
      </span>
      {long && <span>{long} long</span>}
    </div>
  );
}

interface Props {
  name: string;
  lane: Lane;
  window: Window;
  now: number;
  cursor: number | null;
  pointed: boolean;
  point: (name: string | null) => void;
  /** Ask why the node says what it says at an instant, microseconds. */
  why: (at: number) => void;
}

function useFigure(lane: Lane, window: Window, now: number) {
  const dark = useDark();
  const { kind, pieces, finalUntil } = lane;
  return useMemo(() => {
    const seen = spans(pieces, window, now, finalUntil);
    return figure({ kind, spans: seen, window, finalUntil, theme: dark ? DARK : LIGHT, register });
  }, [kind, pieces, finalUntil, window, now, dark]);
}

interface LabelProps {
  name: string;
  lane: Lane;
  reading: Reading | null;
  why: () => void;
}

function Label({ name, lane, reading, why }: LabelProps) {
  const dark = useDark();
  const colour =
    reading && lane.kind !== "number" ? colourOf(reading.value, dark ? DARK : LIGHT, register) : null;
  return (
    <div className="lane-label">
      <span className="lane-name" title={name}>
        {name}
      </span>
      <span className="lane-value">
        {colour && <span className="swatch" style={{ background: colour }} aria-hidden="true" />}
        {reading
          ? spellReading(reading)
          : (lane.error ?? (lane.version < 0 && lane.seq >= 0 ? "no data yet" : ""))}
      </span>
      <span className="lane-foot">
        <span
          className="lane-corrections faint"
          title="Stretches that late events corrected while this page was open"
        >
          {lane.corrections.length > 0 ? `${lane.corrections.length} corrected` : ""}
        </span>
        {reading && <PinButton name={name} quiet />}
        {reading && (
          <button type="button" className="quiet lane-why" aria-label={`Why is ${name} so?`} onClick={why}>
            Why?
          </button>
        )}
      </span>
    </div>
  );
}

export function LaneRow({ name, lane, window, now, cursor, pointed, point, why }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useFigure(lane, window, now);
  const points = useMemo(() => JSON.stringify(toWire(lane)), [lane]);
  const reading = readingAt(lane.pieces, cursor ?? now);
  const share = cursor === null ? null : (cursor - window.start) / (window.end - window.start);
  const left = share === null ? "" : `calc(${LEFT}px + (100% - ${LEFT + RIGHT}px) * ${share})`;
  const timeOf = (event: MouseEvent): number | null => {
    const box = place.current?.getBoundingClientRect();
    const at = box ? (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT) : -1;
    return at < 0 || at > 1 ? null : Math.min(now, window.start + at * (window.end - window.start));
  };
  const onMove = (event: MouseEvent) => {
    point(name);
    setCursor(timeOf(event));
  };
  // A drag zooms, and Plotly makes no click of it.
  const onClick = (event: MouseEvent) => {
    const at = timeOf(event);
    if (at !== null && lane.pieces.length > 0) why(at);
  };
  return (
    <div
      className={`lane ${lane.kind === "number" ? "lane-number" : ""}`}
      data-testid={`lane-${name}`}
      data-points={points}
      data-seq={lane.seq}
      data-corrections={lane.corrections.length}
    >
      <Label name={name} lane={lane} reading={reading} why={() => why(cursor ?? now)} />
      <div
        className="lane-chart"
        ref={place}
        onMouseMove={onMove}
        onClick={onClick}
        onMouseLeave={() => {
          point(null);
          setCursor(null);
        }}
      >
        <LanePlot figure={drawn} />
        <Corrections corrections={lane.corrections} window={window} />
        {share !== null && <div className="cursor" style={{ left }} />}
        {share !== null && pointed && reading && <Tip reading={reading} left={left} share={share} />}
      </div>
    </div>
  );
}
