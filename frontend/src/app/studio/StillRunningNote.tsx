import { useEffect, useState } from "react";
import { api } from "../../core/api/client";
import type { Fate } from "../../core/api/consequences";
import { may } from "../../core/api/rights";
import { addResults } from "../../plans/editor/withResults";
import { documentOf, get, placementOf, useStudio } from "../../plans/editor/store";
import { describeStillRunning } from "../../plans/run/stillRunning";

const NOTHING: readonly Fate[] = [];

/** The nodes of a stopped plan as a run would treat them; loaded once when the plan is opened or stopped. */
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
    // On failure the note is left out; Run shows why.
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

/** Says why lanes of a stopped plan are live: other plans keep its nodes running. */
export function StillRunningNote() {
  const text = describeStillRunning(useFates());
  if (text === null) return null;
  return (
    <span className="faint still-running" title={text.title} data-testid="still-running">
      {text.words}
    </span>
  );
}
