import { useEffect, useState } from "react";
import { api } from "../../core/api/client";
import type { Fate } from "../../core/api/consequences";
import { may } from "../../core/api/rights";
import { addResults } from "../../plans/editor/withResults";
import { documentOf, get, placementOf, useStudio } from "../../plans/editor/store";
import { describeStillRunning } from "../../plans/run/stillRunning";

const NOTHING: readonly Fate[] = [];

/** What becomes of the nodes of a plan that does not run, asked once when it is opened or was stopped. */
function useFates(): readonly Fate[] {
  const plan = useStudio((state) =>
    state.plan && !state.plan.running && may("operate", state.plan) ? state.plan.id : null,
  );
  const ready = useStudio((state) => state.check?.answer.ok === true);
  const [fates, setFates] = useState(NOTHING);
  useEffect(() => {
    if (plan === null || !ready) return undefined;
    let current = true;
    const state = get();
    // What cannot be told is left out: Run says why.
    api.foresee(addResults(documentOf(state)), placementOf(state), plan).then(
      ({ nodes }) => current && setFates(nodes),
      () => current && setFates(NOTHING),
    );
    return () => {
      current = false;
    };
  }, [plan, ready]);
  return plan === null ? NOTHING : fates;
}

/** Why lanes of a stopped plan are live: its nodes are computed for others. */
export function StillRunningNote() {
  const text = describeStillRunning(useFates());
  if (text === null) return null;
  return (
    <span className="faint still-running" title={text.title} data-testid="still-running">
      {text.words}
    </span>
  );
}
