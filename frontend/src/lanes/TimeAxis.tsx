import { clock } from "../ui/words";
import { LEFT, RIGHT } from "./figure";
import type { Window } from "./spans";

const SECOND = 1_000_000;
const STEPS = [
  0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400,
  604800, 2592000, 31536000,
].map((seconds) => seconds * SECOND);
const MOST = 9;

export function ticks({ start, end }: Window): number[] {
  const step = STEPS.find((one) => (end - start) / one <= MOST) ?? (end - start) / MOST;
  const first = Math.ceil(start / step) * step;
  const count = Math.max(0, Math.floor((end - first) / step) + 1);
  return Array.from({ length: count }, (_, i) => first + i * step);
}

function words(t: number, window: Window): string {
  const day = 86_400 * SECOND;
  if (window.end - window.start > 2 * day)
    return new Date(t / 1000).toISOString().slice(5, 16).replace("T", " ");
  return clock(t);
}

export function TimeAxis({ window }: { window: Window }) {
  const wide = `(100% - ${LEFT + RIGHT}px)`;
  return (
    <div className="time-axis" aria-hidden="true">
      <div className="lane-label faint">UTC</div>
      <div className="lane-chart">
        {ticks(window).map((t) => (
          <span
            key={t}
            className="tick"
            style={{
              left: `calc(${LEFT}px + ${wide} * ${(t - window.start) / (window.end - window.start)})`,
            }}
          >
            {words(t, window)}
          </span>
        ))}
      </div>
    </div>
  );
}
