import type { NodeStatus } from "../api/types";
import { tone } from "./tone";

function rate(value: number): string {
  return value >= 100 || value === 0 ? value.toFixed(0) : value.toFixed(1);
}

/** What a running node does, in words: a coloured dot, its state, events a second, revisions so far. */
export function StatusLine({ status }: { status: NodeStatus | undefined }) {
  const observed = status?.observed ?? "starting";
  const words = status?.words || observed;
  const perSecond = status?.rates.events_per_second ?? 0;
  const revisions = status?.counters.revisions ?? 0;
  return (
    <footer className="node-status" title={status?.error || words}>
      <span className={`dot ${tone(observed)}`} aria-hidden="true" />
      <span className="words">{words}</span>
      <span className="figures" title={`${perSecond} events a second, ${revisions} revisions`}>
        {rate(perSecond)} ev/s · {revisions.toLocaleString("en")} rev
      </span>
    </footer>
  );
}
