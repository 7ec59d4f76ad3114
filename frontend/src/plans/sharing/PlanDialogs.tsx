import { useStudio } from "../editor/store";
import { openPlanDialog, refreshOwnership, toThing, usePlanDialog } from "./openDialog";
import { ThingDialogs } from "../../core/sharing/ThingDialogs";

/** Who may do what with the plan, whose it is, and who did what to it. */
export function PlanDialogs() {
  const plan = useStudio((state) => state.plan);
  const asked = usePlanDialog((state) => state.asked);
  const thing = toThing(plan);
  if (!plan || !thing) return null;
  return (
    <ThingDialogs
      thing={thing}
      owner_kind={plan.owner_kind}
      asked={asked}
      close={() => openPlanDialog(null)}
      changed={() => void refreshOwnership()}
    />
  );
}
