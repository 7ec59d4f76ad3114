import type { NodeStatus } from "../../core/api/types";
import { formatAsOfShort } from "../../core/ui/freshnessWords";
import { useLostAt } from "../../core/socket/useConnection";
import { useFlow } from "./useFlow";
import { LINE } from "../../core/graph/geometry";
import { formatRate, readOf, formatSize } from "../../core/ui/format";
import { selectCounts, describeCounts } from "./nodeCounts";
import { findRunningNode, statusOf } from "./runningNodes";
import { selectUnappliedChanges } from "./unappliedChanges";
import { useStudio } from "./store";
import { tone } from "../../core/ui/tone";

/** What is seen of a node's query; a node that is drawn but does not run yet is stopped. */
export function useObserved(name: string): { observed: string; status: NodeStatus | undefined } {
  const status = useStudio((state) => statusOf(state, name));
  const first = useStudio((state) => findRunningNode(state, name)?.status);
  return { observed: status?.observed ?? first ?? "stopped", status };
}

/** Events in, revisions out, and how much it keeps. */
function Flow({ status }: { status: NodeStatus }) {
  const out = useFlow(status);
  const { events_per_second: events = 0, lag_of: of = "events", state_bytes: bytes = 0 } = status.rates;
  return (
    <p className="node-flow">
      <span
        title={`${formatRate(events)} ${readOf(of)} in per second, updates out per second over the last 10 s`}
      >
        {formatRate(events)} {of === "events" ? "events" : "updates"}/s in ·{" "}
        {out === null ? "–" : formatRate(out)} updates/s out
      </span>
      <span title="State size, in memory and on disk">{formatSize(bytes)}</span>
    </p>
  );
}

function Counts({ status }: { status: NodeStatus }) {
  const counts = selectCounts(status);
  return (
    <p className="node-counts">
      {counts.length === 0 && <span>no late events</span>}
      {counts.map(({ count, words, bad }) => (
        <span key={words}>
          {bad ? <b>{count}</b> : count} {words}
        </span>
      ))}
    </p>
  );
}

/** A number stays with its unit. */
const unbroken = (words: string): string =>
  words.replace(/(\d) (?=(?:µs|ms|s|min|h|d|%)(?:\W|$))/g, "$1\u00a0");

/** What a node does, in words. */
function useSaid(name: string) {
  const { observed, status } = useObserved(name);
  const applied = useStudio((state) => findRunningNode(state, name) !== undefined);
  const lostAt = useLostAt();
  const said = applied ? status?.words || observed : "not applied";
  const words = applied && lostAt !== null ? `${formatAsOfShort(lostAt)}: ${said}` : said;
  return { status, applied, words, colour: applied ? tone(observed, lostAt !== null) : "grey" };
}

/** How it is of a node below which there is no room for words: they are the title of its light. */
export function StatusDot({ name }: { name: string }) {
  const { status, words, colour } = useSaid(name);
  return (
    <span
      className={`dot ${colour}`}
      role="img"
      aria-label={words}
      title={describeCounts(words, status)}
      data-testid={`status-${name}`}
    />
  );
}

/** What the foot of a node says is cut at this many lines. */
const cutAt = (lines: number): React.CSSProperties =>
  ({ maxHeight: lines * LINE, "--lines": Math.min(2, lines) }) as React.CSSProperties;

/** What a node of a running plan does: its state in words and its owner, how fast it is, what was late. */
export function StatusLine({ name, lines }: { name: string; lines: number }) {
  const { status, applied, words, colour } = useSaid(name);
  const was = useStudio((state) => selectUnappliedChanges(state).renamed.get(name));
  const changed = useStudio((state) => applied && selectUnappliedChanges(state).nodes.has(name));
  return (
    <footer className="node-status" title={describeCounts(words, status)} data-testid={`status-${name}`}>
      <div style={cutAt(lines)}>
        {changed && (
          <p
            className="node-pending"
            title="The running version is the one before your change. Press Apply to update it."
          >
            changed, not applied
          </p>
        )}
        {was !== undefined && (
          <p className="node-pending" title="Only the name changed. Apply renames it and restarts nothing.">
            {was} until applied
          </p>
        )}
        <p>
          <span className={`dot ${colour}`} aria-hidden="true" />
          <span className="words">{unbroken(words)}</span>
          {applied && status?.owner && <span className="node-owner">{status.owner}</span>}
        </p>
        {applied && status && <Flow status={status} />}
        {applied && status && <Counts status={status} />}
      </div>
    </footer>
  );
}
