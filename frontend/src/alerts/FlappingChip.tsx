import "./alerts.css";
import { Activity } from "lucide-react";
import { formatCounted } from "../core/ui/format";

/** Keys whose incidents start too often: true is one, a number says how many. */
export function FlappingChip({ flapping }: { flapping: boolean | number }) {
  const many = Number(flapping);
  if (many === 0) return null;
  return (
    <span
      className="silence-chip"
      title="Incidents start too often. The channels are notified when it has settled."
      data-testid="flapping"
    >
      <Activity size={12} aria-hidden="true" />
      <span>{flapping === true ? "Flapping" : `${formatCounted(many, "keys")} flapping`}</span>
    </span>
  );
}
