import { formatTime } from "../core/time/format";
import type { Correction } from "../timechart/lane";
import { shareOf } from "../timechart/timeScale";
import type { Window } from "../timechart/window";
import { widenWindow } from "../timechart/view";

const SHOWN = 12;
/** From so far to the right of what is seen, words stand to the left of where their mark ends. */
const LATE = 0.7;

/** Where a correction lies, and from where on its words stand: as far as it is seen. */
function place(correction: Correction, window: Window) {
  const sheet = widenWindow(window);
  const start = Math.max(sheet.start, correction.start ?? -Infinity);
  const end = Math.min(sheet.end, correction.end ?? Infinity);
  if (end <= start) return null;
  const share = (t: number): number => shareOf(t, sheet) * 100;
  const unseen = Math.max(0, window.start - start) / (end - start);
  const beyond = Math.max(0, end - window.end) / (end - start);
  const isLate = shareOf(start, window) > LATE;
  return {
    mark: { left: `${share(start)}%`, width: `max(3px, ${share(end) - share(start)}%)` },
    words: isLate ? { left: "auto", right: `${beyond * 100}%` } : { left: `${unseen * 100}%` },
    isSeen: end > window.start && start < window.end,
  };
}

/** `corrected 12:03:41, +2 spans` */
function correctionWords({ at, spans }: Correction): string {
  const more =
    spans === 0 ? "" : `, ${spans > 0 ? "+" : "−"}${Math.abs(spans)} span${Math.abs(spans) === 1 ? "" : "s"}`;
  return `corrected ${formatTime(at)}${more}`;
}

/** A mark over every stretch that a late event corrected; it flashes when it comes and then stays. */
export function Corrections({ corrections, window }: { corrections: readonly Correction[]; window: Window }) {
  const recent = corrections.slice(-SHOWN);
  return (
    <div className="corrections" aria-live="polite">
      {recent.map((correction, i) => {
        const at = place(correction, window);
        const words = correctionWords(correction);
        if (!at) return null;
        const newest = i === recent.length - 1;
        return (
          <div
            key={corrections.length - recent.length + i}
            className="correction"
            style={at.mark}
            title={words}
          >
            {newest && at.isSeen && (
              <span className="correction-words" style={at.words}>
                {words}
              </span>
            )}
          </div>
        );
      })}
    </div>
  );
}
