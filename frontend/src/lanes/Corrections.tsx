import { clock } from "../ui/words";
import { LEFT, RIGHT } from "./figure";
import type { Correction } from "./lane";
import type { Window } from "./spans";

const SHOWN = 12;

function place(correction: Correction, window: Window): { left: string; width: string } | null {
  const length = window.end - window.start;
  const start = Math.max(window.start, correction.start ?? -Infinity);
  const end = Math.min(window.end, correction.end ?? Infinity);
  if (end <= start) return null;
  const share = (t: number): number => (t - window.start) / length;
  const wide = `(100% - ${LEFT + RIGHT}px)`;
  return {
    left: `calc(${LEFT}px + ${wide} * ${share(start)})`,
    width: `max(3px, calc(${wide} * ${share(end) - share(start)}))`,
  };
}

/** A mark over every stretch that a late event corrected; it flashes when it comes and then stays. */
export function Corrections({ corrections, window }: { corrections: readonly Correction[]; window: Window }) {
  const recent = corrections.slice(-SHOWN);
  return (
    <div className="corrections" aria-live="polite">
      {recent.map((one, i) => {
        const style = place(one, window);
        const words = `corrected ${clock(one.at).slice(0, 8)}`;
        if (!style) return null;
        const newest = i === recent.length - 1;
        return (
          <div
            key={corrections.length - recent.length + i}
            className="correction"
            style={style}
            title={words}
          >
            {newest && <span className="correction-words">{words}</span>}
          </div>
        );
      })}
    </div>
  );
}
