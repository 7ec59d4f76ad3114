import "../live/lanes.css";
import "../live/keys.css";
import "../plans/why/why.css";
import "./laneActions";
import { useMemo, useEffect } from "react";
import { api } from "../core/api/client";
import type { NodeDetail } from "../core/api/types";
import { limitsOf } from "../core/graph/limits";
import { describeStanding } from "../live/empty";
import { useAsOf } from "../live/asOf";
import { LanesView } from "../live/LanesView";
import { WhyPanel } from "../plans/why/WhyPanel";
import { nameOf } from "../nodes/nodeUsers";
import { setDisplays } from "../timechart/displays";
import { setLimits } from "../timechart/limits";

/** The limits of alerts on it, as the first plan has them that uses it and may be seen. */
function useLimitsOfNode({ users }: NodeDetail, name: string): void {
  const use = users.find((user) => user.plan !== null && user.name !== "");
  const [plan, called] = [use?.plan ?? null, use?.name ?? ""];
  useEffect(() => {
    if (plan === null) return;
    let current = true;
    void api.plan(plan).then(
      ({ document }) => current && setLimits({ [name]: limitsOf(document)[called] ?? [] }),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [plan, called, name]);
}

/** Its timeline for a key: live, as it was known at any time, and why. */
export function NodeLanes({ node }: { node: NodeDetail }) {
  const { digest } = node;
  const name = nameOf(node);
  const listed = useMemo(() => [{ name, digest, grouped: false, everyone: false }], [name, digest]);
  const { display } = node;
  useEffect(() => setDisplays({ [name]: { display, targets: [], overridden: false } }), [name, display]);
  useLimitsOfNode(node, name);
  const wanted = node.status.desired === "running";
  const empty = wanted
    ? "Its timeline appears here once it has a result for a key."
    : "No data: it has no results and does not run.";
  return (
    <section className="card node-lanes" aria-label="Timeline" data-testid="node-lanes">
      <LanesView
        listed={listed}
        selected={NONE}
        results={undefined}
        streams={NONE}
        hidden={NONE}
        empty={empty}
        stands={wanted ? describeStanding(name, node.status) : null}
      />
      <WhyPanel knownAt={useAsOf((state) => state.knownAt)} />
    </section>
  );
}

const NONE: readonly string[] = [];
