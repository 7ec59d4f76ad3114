import type { ReactNode } from "react";
import { useConnection } from "../core/socket/useConnection";
import { Menu } from "../core/ui/Menu";
import { TONES, WORDS } from "../core/ui/connectionWords";
import { formatInstant, formatTime } from "../core/time/format";
import { setAllKeys, useAllKeys } from "./allKeys";
import { ALL_KEYS_HINT } from "./AllKeys";
import { followNow, holdWindow, setPausedAt, setSpan, useLanes, readWallClock } from "./store";
import { openFunnel, useFunnelPanel } from "./funnelPanel";
import { openKeysPanel, useKeysPanel } from "./keysPanel";
import { openLegend, useLegend } from "./legend";
import { openAsOf, useAsOf } from "./asOf";
import { compareWith, useEarlier } from "./earlier";
import { RangePicker } from "../timechart/RangePicker";
import { computeFollowedWindow } from "../timechart/view";

/** Whether what is seen goes on; of what has stopped, since when it does not. */
function Standing({ stopped }: { stopped: number | null }) {
  const state = useConnection();
  const ended = state === "open" && stopped !== null;
  return (
    <span className="faint nowrap" data-testid="live-state">
      <span className={`dot ${ended ? "grey" : TONES[state]}`} aria-hidden="true" />{" "}
      {ended ? (
        <>
          stopped <span className="at">at </span>
          {formatInstant(stopped)}
        </>
      ) : (
        WORDS[state]
      )}
    </span>
  );
}

function WindowChoice() {
  const span = useLanes((state) => state.span);
  const held = useLanes((state) => state.held);
  const read = () => useLanes.getState().view?.window ?? computeFollowedWindow(span, [], readWallClock());
  return (
    <RangePicker
      testid="window"
      range={span}
      held={held}
      all
      read={read}
      choose={setSpan}
      look={holdWindow}
    />
  );
}

interface LaneAction {
  id: string;
  title: string;
  /** What it does, in a list. */
  hint: string;
  /** Whether it is open, of what opens and closes. */
  pressed?: boolean;
  disabled?: boolean;
  act: () => void;
}

const funnelAct = (sequence: string, pressed: boolean): LaneAction => ({
  id: "funnel-open",
  title: "Funnel",
  hint: "How many keys reached each step of a sequence",
  pressed,
  act: () => openFunnel(pressed ? null : sequence),
});

function useActs(some: boolean, sequence: string | null): LaneAction[] {
  const then = useAsOf((state) => state.open);
  const keys = useKeysPanel((state) => state.open);
  const all = useAllKeys((state) => state.open);
  const compared = useEarlier((state) => state.comparison !== null);
  const legend = useLegend((state) => state.open);
  const funnel = useFunnelPanel((state) => state.node !== null);
  const held = useLanes((state) => state.held !== null);
  const find = "Search keys by value and duration";
  const back = "Results as they were known at an earlier moment";
  const now: LaneAction = { id: "follow", title: "Go live", hint: "Reset zoom", act: followNow };
  return [
    {
      id: "keys",
      title: "Keys",
      hint: find,
      pressed: keys,
      disabled: !some,
      act: () => openKeysPanel(!keys),
    },
    {
      id: "all-keys",
      title: "All keys",
      hint: ALL_KEYS_HINT,
      pressed: all,
      disabled: !some,
      act: () => setAllKeys({ open: !all }),
    },
    ...(sequence === null ? [] : [funnelAct(sequence, funnel)]),
    { id: "then", title: "View as of…", hint: back, pressed: then, act: () => openAsOf(!then) },
    {
      id: "compare",
      title: "Compare",
      hint: "With the period, the day or the week before",
      pressed: compared,
      disabled: !some || all,
      act: () => compareWith(compared ? null : "period"),
    },
    {
      id: "legend-open",
      title: "Legend",
      hint: "What the marks and colours mean",
      pressed: legend,
      act: () => openLegend(!legend),
    },
    ...(held ? [now] : []),
  ];
}

/** Buttons, or where there is little room a menu. */
function Acts({ acts }: { acts: readonly LaneAction[] }) {
  const items = acts.map(({ id, pressed, title, ...rest }) => ({
    ...rest,
    id: `more-${id}`,
    title: pressed ? `${title}: close` : title,
  }));
  return (
    <>
      {acts.map(({ id, title, pressed, disabled, act }) => (
        <button
          key={id}
          type="button"
          className="roomy"
          data-testid={id}
          aria-pressed={pressed}
          disabled={disabled}
          onClick={act}
        >
          {title}
        </button>
      ))}
      <span className="narrow">
        <Menu title="More" groups={[items]} testid="lanes-more" />
      </span>
    </>
  );
}

interface Props {
  /** The newest event, where that is far from the clock. */
  newest: number | null;
  /** When all that is shown stopped; null while something of it goes on. */
  stopped: number | null;
  pauseAt: () => number;
  /** Whether there is any lane. */
  some: boolean;
  /** The sequence whose funnel is offered; null: there is none. */
  sequence: string | null;
  /** Why what is shown is live, where that may surprise. */
  note?: ReactNode;
  children: ReactNode;
}

export function LanesToolbar({ newest, stopped, pauseAt, some, sequence, note, children }: Props) {
  const paused = useLanes((state) => state.pausedAt !== null);
  const acts = useActs(some, sequence);
  return (
    <div className="lanes-toolbar">
      {children}
      <WindowChoice />
      <button
        type="button"
        data-testid="pause"
        aria-pressed={paused}
        onClick={() => setPausedAt(paused ? null : pauseAt())}
      >
        {paused ? "Resume" : "Pause"}
      </button>
      <Acts acts={acts} />
      <span className="spacer" />
      {newest !== null && (
        <span className="faint nowrap newest-event" data-testid="newest-event">
          newest event {formatTime(newest)}
        </span>
      )}
      {note}
      <Standing stopped={stopped} />
    </div>
  );
}
