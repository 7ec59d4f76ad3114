import type { Operator } from "../../core/api/types";

/** Said of the few operators whose answers depend on how events came. */
export function ByArrival({ operator }: { operator: Operator | undefined }) {
  if (operator?.by_arrival !== true) return null;
  return (
    <p className="faint" data-testid="by-arrival">
      Uses arrival time: when events arrived, not when they happened.
    </p>
  );
}
