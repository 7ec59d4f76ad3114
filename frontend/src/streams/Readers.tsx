import type { Activity, ReadingNode } from "../core/api/streams";
import { describeOtherReaders } from "./otherReaders";

const TONES: Readonly<Record<string, string>> = {
  running: "green",
  starting: "amber",
  retrying: "amber",
  stopping: "amber",
  failed: "red",
};

function Node({ node }: { node: ReadingNode }) {
  const names = [...new Set(node.users.map(({ name }) => name).filter((name) => name !== ""))];
  const plans = [...new Map(node.users.map((use) => [use.plan, use])).values()];
  return (
    <tr>
      <td className="reader">
        {names.join(", ") || node.digest.slice(0, 12)} <small className="faint">{node.operator}</small>
      </td>
      <td>
        {plans.map((use, place) => (
          <span key={use.plan}>
            {place > 0 && ", "}
            <a href={`/plans/${use.plan}/`}>{use.plan_name}</a>
          </span>
        ))}
      </td>
      <td>
        <span className={`dot ${TONES[node.observed] ?? "grey"}`} aria-hidden="true" /> {node.words}
      </td>
      <td className="number">{node.counters.events.toLocaleString("en")}</td>
      <td className="number">{node.lag.toLocaleString("en", { maximumFractionDigits: 0 })}</td>
    </tr>
  );
}

function Plans({ plans }: Pick<Activity, "plans">) {
  return (
    <p data-testid="reading-plans">
      Read by{" "}
      {plans.map((plan, place) => (
        <span key={plan.id}>
          {place > 0 && (place === plans.length - 1 ? " and " : ", ")}
          <a href={`/plans/${plan.id}/`}>{plan.name}</a> of {plan.owner}
          {plan.running ? "" : " (stopped)"}
        </span>
      ))}
      .
    </p>
  );
}

/** What the owner of a stream is told of plans that are not shared with the owner. */
function Others({ others }: Pick<Activity, "others">) {
  const words = describeOtherReaders(others);
  return words === null ? null : <p data-testid="other-readers">{words}</p>;
}

/** The plans and nodes that read a stream. */
export function Readers({ activity, name }: { activity: Activity; name: string }) {
  const { plans, nodes, others } = activity;
  return (
    <section className="card" data-testid="readers">
      <h2>Used by</h2>
      {plans.length === 0 ? (
        <p>
          No plan reads it yet. <a href="/plans/new/">Create a plan</a>, put an operator on its canvas and
          choose the stream {name}.
        </p>
      ) : (
        <Plans plans={plans} />
      )}
      <Others others={others} />
      {nodes.length > 0 && (
        <div className="scroll" role="region" aria-label="Nodes that read it" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>Node</th>
                <th>Plan</th>
                <th>State</th>
                <th className="number">Events read</th>
                <th className="number">Queue</th>
              </tr>
            </thead>
            <tbody>
              {nodes.map((node) => (
                <Node key={node.digest} node={node} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
