import { useStudio } from "../editor/store";
import { ask, lookWhose, thingOf, useAsked } from "./openDialog";
import { ThingDialogs } from "../../core/sharing/ThingDialogs";

/** Who may do what with the plan, whose it is, and who did what to it. */
export function PlanDialogs() {
  const plan = useStudio((state) => state.plan);
  const asked = useAsked((state) => state.asked);
  const thing = thingOf(plan);
  if (!plan || !thing) return null;
  return (
    <ThingDialogs
      thing={thing}
      owner_kind={plan.owner_kind}
      asked={asked}
      close={() => ask(null)}
      changed={() => void lookWhose()}
    />
  );
}
