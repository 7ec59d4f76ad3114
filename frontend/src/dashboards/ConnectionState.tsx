import { edgeNow, newestEventNow } from "./clock";
import { behindOf } from "./feeds";
import { useLive } from "./hooks";
import { formatUntilShort } from "../core/ui/freshnessWords";
import { useConnection } from "../core/socket/useConnection";
import { TONES, WORDS } from "../core/ui/connectionWords";
import { formatInstant, formatTime } from "../core/time/format";
import { useBoard } from "./store";

const follows = (): string => {
  const newest = newestEventNow();
  return newest === null ? "" : `newest event ${formatTime(newest)}`;
};

const behindOfAll = () => behindOf();
const stop = (): number | null => edgeNow().stopped;

/** Whether what is seen is live; where events are far behind the clock, how far they have come. */
export function ConnectionState() {
  const state = useConnection();
  const behind = useLive(follows);
  const stopped = useLive(stop);
  const fixed = useBoard((board) => board.view.fixed !== null);
  const ended = state === "open" && stopped !== null;
  const late = useLive(behindOfAll);
  const isLate = state === "open" && !ended && !fixed && late?.late === true;
  const words = ended
    ? `stopped at ${formatInstant(stopped)}`
    : isLate
      ? `${formatUntilShort(late)} · ${late.words}`
      : fixed && state === "open"
        ? "connected"
        : WORDS[state];
  const all = behind === "" ? words : `${words} · ${behind}`;
  return (
    <span className="faint board-live" data-testid="live-state" role="status" title={all}>
      <span className={`dot ${ended ? "grey" : isLate ? "amber" : TONES[state]}`} aria-hidden="true" /> {all}
    </span>
  );
}
