import { refusesRun, useStudio } from "../editor/store";
import { askToRun } from "../run/store";
import { thingItems } from "../../core/sharing/menu";
import { openPlanDialog, toThing } from "../sharing/openDialog";
import { Menu } from "../../core/ui/Menu";
import { copyText, exportJson, exportText, exportWithTests } from "./export";
import { openImport } from "./store";

/** What is done with the plan as a whole: in and out, who may see it, and whose it is. */
export function PlanMenu() {
  const plan = useStudio((state) => state.plan);
  const refusal = useStudio(refusesRun);
  const out = [
    { id: "export-json", title: "Export as JSON", act: () => void exportJson() },
    { id: "export-text", title: "Export as text", act: () => void exportText() },
    {
      id: "export-tests",
      title: "Export with its tests",
      hint: "as JSON, with samples and streams",
      act: () => void exportWithTests(),
    },
    { id: "copy-text", title: "Copy as text", act: () => void copyText() },
  ];
  const into = [
    {
      id: "import",
      title: "Import…",
      hint: "from a file or pasted, with a preview",
      act: () => openImport(),
    },
  ];
  const running = [
    {
      id: "execution",
      title: "Execution…",
      hint: refusal ?? "One query per node, or one for several",
      disabled: refusal !== null,
      act: () => void askToRun(),
    },
  ];
  return (
    <Menu
      title="File"
      testid="plan-menu"
      groups={[out, into, running, thingItems(toThing(plan), openPlanDialog)]}
    />
  );
}
