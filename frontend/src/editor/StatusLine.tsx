import type { NodeStatus } from "../api/types";
import { rate } from "../ui/words";
import { useStudio } from "./store";
import { tone } from "./tone";

/** What is seen of a node's query; a node that is drawn but does not run yet is stopped. */
export function useObserved(name: string): { observed: string; status: NodeStatus | undefined } {
  const status = useStudio((state) => state.statuses[name]);
  const first = useStudio((state) => state.plan?.nodes.find((node) => node.name === name)?.status);
  return { observed: status?.observed ?? first ?? "stopped", status };
}

/** Fewer events that wait are told in the tooltip only. */
const MUCH = 1000;

/** What a node of a running plan does, in words: a coloured dot, its state, events a second, revisions so far. */
export function StatusLine({ name }: { name: string }) {
  const { observed, status } = useObserved(name);
  const applied = useStudio((state) => state.plan?.nodes.some((node) => node.name === name) ?? false);
  const words = applied ? status?.words || observed : "not applied yet";
  const told = [words, status?.error].filter(Boolean).join("\n");
  const perSecond = status?.rates.events_per_second ?? 0;
  const revisions = status?.counters.revisions ?? 0;
  const lag = status?.rates.lag ?? 0;
  const waits = `${lag.toLocaleString("en")} ${status?.rates.lag_of ?? "events"} wait`;
  return (
    <footer className="node-status" title={told}>
      <span className={`dot ${applied ? tone(observed) : "grey"}`} title={told} aria-hidden="true" />
      <span className="words">{words}</span>
      {applied && (
        <span
          className="figures"
          title={`${rate(perSecond)} events a second, ${waits}, ${revisions} revisions`}
        >
          {rate(perSecond)} ev/s · {lag > MUCH && `${lag.toLocaleString("en")} wait · `}
          {revisions.toLocaleString("en")} rev
        </span>
      )}
    </footer>
  );
}
