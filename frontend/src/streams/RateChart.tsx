import { useState, type CSSProperties } from "react";
import type { Activity, Tick } from "../core/api/streams";
import { formatMinute, formatOffsets, formatTime } from "../core/time/format";
import { MINUTE, toLocal } from "../core/time/zone";
import { formatRate } from "../core/ui/format";
import { roundUp, listRateSteps } from "./rates";

const WIDTH = 720;
const HEIGHT = 120;
/** So near an end of the plot a label would reach over it. */
const EDGE = 0.03;

const words = (tick: Tick, step: number): string => {
  const odd = [
    tick.late > 0 && `${tick.late.toLocaleString("en")} late`,
    tick.too_late > 0 && `${tick.too_late.toLocaleString("en")} too late`,
    tick.refused > 0 && `${tick.refused.toLocaleString("en")} rejected`,
  ].filter(Boolean);
  const counted = [`${formatRate(tick.events / step)} events per second`, ...odd].join(", ");
  return `${formatTime(tick.at * 1e6)}: ${counted}`;
};

/** A label in the middle of its place, from 0 to 1; at both ends within the plot. */
function placed(part: number): CSSProperties {
  if (part < EDGE) return { left: 0, transform: "none" };
  if (part > 1 - EDGE) return { right: 0, transform: "none" };
  return { left: `${part * 100}%` };
}

interface BarProps {
  tick: Tick;
  x: number;
  width: number;
  scale: (events: number) => number;
}

function Bar({ tick, x, width, scale }: BarProps) {
  const height = scale(tick.events);
  const late = scale(tick.late);
  return (
    <>
      {height > 0 && <rect className="accepted" x={x} y={HEIGHT - height} width={width} height={height} />}
      {late > 0 && <rect className="late" x={x} y={HEIGHT - late} width={width} height={late} />}
      {tick.refused > 0 && <rect className="refused" x={x} y={0} width={Math.max(width, 2)} height={4} />}
    </>
  );
}

/** Events per second over the last hour, ten seconds a bar. */
export function RateChart({ activity }: { activity: Activity }) {
  const [near, setNear] = useState<Tick | null>(null);
  const all = listRateSteps(activity);
  const most = Math.max(...all.map(({ events }) => events));
  const top = roundUp(most / activity.step);
  const scaled = most > 0 ? `top of the scale ${formatRate(top)}` : "no events";
  const width = WIDTH / all.length;
  const scale = (events: number) => (events / activity.step / top) * HEIGHT;
  const quarters = all.filter(({ at }) => toLocal(at * 1e6) % (15 * MINUTE) === 0);
  const xOf = (tick: Tick) => all.indexOf(tick) * width;
  return (
    <figure className="rate-chart">
      <figcaption className="row spread">
        <span>
          Events per second, last hour <span className="faint">· {scaled}</span>
        </span>
        <span className="faint" aria-live="off">
          {near
            ? words(near, activity.step)
            : formatOffsets((all[0]?.at ?? 0) * 1e6, (all.at(-1)?.at ?? 0) * 1e6)}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT + 16}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Events per second over the last hour, ${most > 0 ? `at most ${formatRate(top)}` : scaled}`}
        data-testid="rate-chart"
        onPointerLeave={() => setNear(null)}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          setNear(all[Math.floor(((event.clientX - box.left) / box.width) * all.length)] ?? null);
        }}
      >
        {most > 0 && <line className="rule" x1={0} x2={WIDTH} y1={0.5} y2={0.5} />}
        {most > 0 && <line className="rule" x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />}
        {quarters.map((tick) => (
          <line key={tick.at} className="rule" x1={xOf(tick)} x2={xOf(tick)} y1={0} y2={HEIGHT} />
        ))}
        {all.map((tick, i) => (
          <Bar key={tick.at} tick={tick} x={i * width} width={width} scale={scale} />
        ))}
        <line className="ground" x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      </svg>
      <div className="quarters" aria-hidden="true">
        {quarters.map((tick) => (
          <span key={tick.at} style={placed(xOf(tick) / WIDTH)}>
            {formatMinute(tick.at * 1e6)}
          </span>
        ))}
      </div>
      <p className="legend faint">
        <span className="swatch accepted" /> accepted <span className="swatch late" /> of those late{" "}
        <span className="swatch refused" /> some rejected
      </p>
    </figure>
  );
}
