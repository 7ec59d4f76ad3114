import type { NodeStatus } from "../api/types";
import { asOfShort } from "../live/knownWords";
import { useLostAt } from "../live/useConnection";
import { useFlow } from "../live/useFlow";
import { rate, size } from "../ui/words";
import { countsOf, toldOf } from "./facts";
import { runsAs, statusOf } from "./applied";
import { pending } from "./pending";
import { useStudio } from "./store";
import { tone } from "./tone";

/** What is seen of a node's query; a node that is drawn but does not run yet is stopped. */
export function useObserved(name: string): { observed: string; status: NodeStatus | undefined } {
  const status = useStudio((state) => statusOf(state, name));
  const first = useStudio((state) => runsAs(state, name)?.status);
  return { observed: status?.observed ?? first ?? "stopped", status };
}

/** Events in, revisions out, and how much it keeps. */
function Flow({ status }: { status: NodeStatus }) {
  const out = useFlow(status);
  const { events_per_second: events = 0, lag_of: of = "events", state_bytes: bytes = 0 } = status.rates;
  return (
    <p className="node-flow">
      <span title={`${rate(events)} ${of} read a second, revisions told a second over the last ten`}>
        {rate(events)} {of === "events" ? "ev" : "bat"}/s in · {out === null ? "–" : rate(out)} rev/s out
      </span>
      <span title="What it keeps, in memory and on disk">{size(bytes)}</span>
    </p>
  );
}

function Counts({ status }: { status: NodeStatus }) {
  const counts = countsOf(status);
  return (
    <p className="node-counts">
      {counts.length === 0 && <span>nothing late</span>}
      {counts.map(({ count, words, bad }) => (
        <span key={words}>
          {bad ? <b>{count}</b> : count} {words}
        </span>
      ))}
    </p>
  );
}

/** What a node of a running plan does: its state in words and its owner, how fast it is, what was late. */
export function StatusLine({ name }: { name: string }) {
  const { observed, status } = useObserved(name);
  const applied = useStudio((state) => runsAs(state, name) !== undefined);
  const was = useStudio((state) => pending(state).renamed.get(name));
  const changed = useStudio((state) => applied && pending(state).nodes.has(name));
  const lostAt = useLostAt();
  const said = applied ? status?.words || observed : "not applied yet";
  const words = applied && lostAt !== null ? `${asOfShort(lostAt)}: ${said}` : said;
  return (
    <footer className="node-status" title={toldOf(words, status)} data-testid={`status-${name}`}>
      {changed && (
        <p className="node-pending" title="What runs is as it was before the change; Apply makes it this.">
          changed, not applied
        </p>
      )}
      {was !== undefined && (
        <p
          className="node-pending"
          title="Only the name is another one; Apply makes it this and restarts nothing."
        >
          {was} until applied
        </p>
      )}
      <p>
        <span className={`dot ${applied ? tone(observed, lostAt !== null) : "grey"}`} aria-hidden="true" />
        <span className="words">{words}</span>
        {applied && status?.owner && <span className="node-owner">{status.owner}</span>}
      </p>
      {applied && status && <Flow status={status} />}
      {applied && status && <Counts status={status} />}
    </footer>
  );
}
