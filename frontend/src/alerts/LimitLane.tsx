import { useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { depthOf, limitAt, placeIn, scaleOf, stepOf, type Range, type Scale } from "./backTest";

interface Props {
  name: string;
  columns: readonly (readonly number[])[];
  range: Range;
  limit: number;
  clear: number | null;
  set: (limit: number) => void;
}

const HEIGHT = 96;

function pathOf(columns: Props["columns"], range: Range, scale: Scale): string {
  const wide = range.end - range.start;
  const points = columns.map(
    ([t = 0, low = 0, high = 0]) => [((t - range.start) / wide) * 1000, low, high] as const,
  );
  const y = (value: number) => depthOf(value, scale) * HEIGHT;
  const ahead = points.map(([x, , high]) => `${x.toFixed(1)},${y(high).toFixed(1)}`);
  const back = points.toReversed().map(([x, low]) => `${x.toFixed(1)},${y(low).toFixed(1)}`);
  return `M${[...ahead, ...back].join("L")}Z`;
}

/** The values of a key with the limit, which can be dragged or moved with the keyboard. */
export function LimitLane({ name, columns, range, limit, clear, set }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [held, hold] = useState<Scale | null>(null);
  const scale = held ?? scaleOf(columns, clear === null ? [limit] : [limit, clear]);
  const move = (event: PointerEvent) => {
    const box = place.current?.getBoundingClientRect();
    if (box && held) set(limitAt((event.clientY - box.top) / box.height, held));
  };
  const press = (event: KeyboardEvent) => {
    const way = { ArrowUp: 1, ArrowDown: -1, PageUp: 1, PageDown: -1 }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    set(Number((limit + way * stepOf(scale, event.key.startsWith("Page"))).toPrecision(12)));
  };
  return (
    <div className="limit-lane" ref={place} data-testid="limit-lane">
      <svg viewBox={`0 0 1000 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={pathOf(columns, range, scale)} />
      </svg>
      {clear !== null && <i className="limit-clear" style={{ top: `${depthOf(clear, scale) * 100}%` }} />}
      <div
        role="slider"
        tabIndex={0}
        className="limit-line"
        data-testid="limit-line"
        style={{ top: `${depthOf(limit, scale) * 100}%` }}
        aria-label={`Limit of ${name}`}
        aria-orientation="vertical"
        aria-valuemin={scale.low}
        aria-valuemax={scale.high}
        aria-valuenow={limit}
        onKeyDown={press}
        onPointerDown={(event) => {
          hold(scale);
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={move}
        onPointerUp={() => {
          hold(null);
        }}
        onPointerCancel={() => {
          hold(null);
        }}
      >
        <span>{limit.toLocaleString("en")}</span>
      </div>
    </div>
  );
}

/** Where spans lie, as bars. */
export function IncidentBars({
  spans,
  range,
}: {
  spans: readonly { start: number | null; end: number | null; state: string }[];
  range: Range;
}) {
  return (
    <div className="incident-bars" aria-hidden="true">
      {spans.map((span, place) => (
        <i key={place} className={span.state} style={placeIn(span, range)} />
      ))}
    </div>
  );
}
