import { clock } from "../ui/words";
import type { Correction } from "./lane";
import { leftOf, widthOf } from "./place";
import type { Window } from "./spans";

const SHOWN = 12;

function place(correction: Correction, window: Window): { left: string; width: string } | null {
  const start = Math.max(window.start, correction.start ?? -Infinity);
  const end = Math.min(window.end, correction.end ?? Infinity);
  if (end <= start) return null;
  return { left: leftOf(start, window), width: `max(3px, ${widthOf(start, end, window)})` };
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
