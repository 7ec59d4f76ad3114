import type { NodeDetail } from "../core/api/types";

/** What the node asks for and does not get of its events. */
export function NodeWarnings({ warnings }: Pick<NodeDetail, "warnings">) {
  return warnings.map(({ code, field, message, hint }) => (
    <p key={`${code} ${field}`} data-testid="node-warning">
      <span className="dot amber" aria-hidden="true" /> {message}; <span className="faint">{hint}.</span>
    </p>
  ));
}
