import { Menu } from "../ui/Menu";
import { copyText, exportJson, exportText, exportWithTests } from "./export";
import { openImport } from "./store";

/** What is done with the plan as a whole: in and out. */
export function PlanMenu() {
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
  return <Menu title="File" testid="plan-menu" groups={[out, into]} />;
}
