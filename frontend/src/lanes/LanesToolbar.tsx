import type { ReactNode } from "react";
import { live } from "../live/page";
import { TONES, WORDS } from "../ui/connectionWords";
import { clock } from "../ui/words";
import { useEffect, useState } from "react";
import type { State } from "../live/connection";
import { follow, pause, setSpan, useLanes } from "./store";
import { openThen, useThen } from "./then";
import { SPANS } from "./view";

function ConnectionState() {
  const [state, setState] = useState<State>(() => live().state);
  useEffect(() => live().observe(setState), []);
  return (
    <span className="faint nowrap" data-testid="live-state">
      <span className={`dot ${TONES[state]}`} aria-hidden="true" /> {WORDS[state]}
    </span>
  );
}

interface Props {
  now: number;
  follows: "clock" | "events";
  pauseAt: () => number;
  children: ReactNode;
}

export function LanesToolbar({ now, follows, pauseAt, children }: Props) {
  const span = useLanes((state) => state.span);
  const then = useThen((state) => state.open);
  const held = useLanes((state) => state.held !== null);
  const paused = useLanes((state) => state.pausedAt !== null);
  return (
    <div className="lanes-toolbar">
      {children}
      <div className="segments" role="group" aria-label="Window">
        {SPANS.map(([value, words]) => (
          <button
            key={value}
            type="button"
            data-testid={`window-${value}`}
            aria-pressed={!held && span === value}
            onClick={() => setSpan(value)}
          >
            {words}
          </button>
        ))}
      </div>
      <button
        type="button"
        data-testid="pause"
        aria-pressed={paused}
        onClick={() => pause(paused ? null : pauseAt())}
      >
        {paused ? "Resume" : "Pause"}
      </button>
      {held && (
        <button type="button" data-testid="follow" onClick={follow}>
          Follow now
        </button>
      )}
      <button type="button" data-testid="then" aria-pressed={then} onClick={() => openThen(!then)}>
        As known at…
      </button>
      <span className="spacer" />
      {follows === "events" && <span className="faint nowrap">newest event {clock(now).slice(0, 8)}</span>}
      <ConnectionState />
    </div>
  );
}
