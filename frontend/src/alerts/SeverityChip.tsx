import "./alerts.css";
import { capitalize } from "./alertState";
import type { Severity } from "./calls";

export function SeverityChip({ severity }: { severity: Severity }) {
  return <span className={`severity ${severity}`}>{capitalize(severity)}</span>;
}
