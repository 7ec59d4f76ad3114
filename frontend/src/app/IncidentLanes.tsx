import "../live/lanes.css";
import "../live/keys.css";
import "../plans/why/why.css";
import "./laneActions";
import { useCallback, useEffect, useMemo } from "react";
import { windowAround } from "../alerts/lanesAround";
import type { IncidentLanesProps } from "../alerts/IncidentPage";
import { api } from "../core/api/client";
import type { Plan } from "../core/api/types";
import { limitsOf } from "../core/graph/limits";
import type { ListedNode } from "../core/search/keySource";
import { useLoaded } from "../core/ui/useLoaded";
import { openAsOf, showKnownAt, useAsOf } from "../live/asOf";
import { LanesView } from "../live/LanesView";
import { useLanes, readWallClock } from "../live/store";
import { ask } from "../plans/why/store";
import { WhyPanel } from "../plans/why/WhyPanel";
import { setDisplays } from "../timechart/displays";
import { setLimits } from "../timechart/limits";

const NONE: readonly string[] = [];

/** The number that an alert node compares, above the node itself. */
function listNodes({ document, nodes }: Plan, name: string): ListedNode[] {
  const node = Object.hasOwn(document.nodes, name) ? document.nodes[name] : undefined;
  const input = node?.op === "alert" ? [node.inputs?.of].flat()[0] : undefined;
  return [input, name].flatMap((one) => {
    const digest = nodes.find((used) => used.name === one)?.digest;
    return one === undefined || digest === undefined
      ? []
      : [{ name: one, digest, grouped: false, everyone: false }];
  });
}

/** Let the lanes show the time around an incident, for its key, as it was known. */
function useAround({ incident, knownAt }: IncidentLanesProps, plan: Plan | null): void {
  const { key, start, end } = incident;
  useEffect(() => {
    useLanes.setState({ key, held: windowAround({ start, end }, knownAt ?? readWallClock()) });
  }, [key, start, end, knownAt]);
  useEffect(() => {
    openAsOf(knownAt !== null);
    showKnownAt(knownAt);
  }, [knownAt]);
  useEffect(() => {
    if (plan === null) return;
    setLimits(limitsOf(plan.document));
    const shown = Object.entries(plan.display);
    setDisplays(
      Object.fromEntries(shown.map(([name, display]) => [name, { display, targets: [], overridden: false }])),
    );
  }, [plan]);
}

function WhyButton({ alert, incident, digest }: Omit<IncidentLanesProps, "knownAt"> & { digest: string }) {
  const { key, start } = incident;
  if (start === null) return null;
  const explain = () => {
    const { knownAt } = useAsOf.getState();
    void ask({ name: alert.node, digest, key, at: start, plan: alert.plan, knownAt });
  };
  return (
    <button type="button" data-testid="why-fired" onClick={explain}>
      Why did it fire?
    </button>
  );
}

/** The alert's node and what it compares, with the limits, around an incident. */
export function IncidentLanes(props: IncidentLanesProps) {
  const { alert, incident } = props;
  const fetch = useCallback(() => api.plan(alert.plan), [alert.plan]);
  const { value: plan } = useLoaded(fetch);
  const listed = useMemo(() => (plan === null ? [] : listNodes(plan, alert.node)), [plan, alert.node]);
  useAround(props, plan);
  const shownAt = useAsOf((state) => state.knownAt);
  if (listed.length === 0) return null;
  return (
    <section className="card node-lanes" aria-label="Timeline" data-testid="incident-lanes">
      <div className="row spread incident-lanes-head">
        <h2>Lanes</h2>
        <WhyButton alert={alert} incident={incident} digest={listed.at(-1)?.digest ?? ""} />
      </div>
      <LanesView
        listed={listed}
        selected={NONE}
        results={undefined}
        streams={NONE}
        hidden={NONE}
        empty="The timelines of this key appear here."
        stands={null}
      />
      <WhyPanel knownAt={shownAt} />
    </section>
  );
}
