import { useId } from "react";
import { TextField } from "../core/ui/TextField";
import type { LimitsDraft } from "./limits";

interface Props {
  /** The node whose number is compared. */
  node: string;
  limits: LimitsDraft;
  change: (limits: LimitsDraft) => void;
}

/** When an alert on a number fires, and when it ends. */
export function LimitFields({ node, limits, change }: Props) {
  const id = useId();
  const set = (name: keyof LimitsDraft) => (value: string) => change({ ...limits, [name]: value });
  return (
    <fieldset className="alert-limits">
      <legend>Rule</legend>
      <div className="grid">
        <div className="field">
          <label htmlFor={id}>Fires when {node} is</label>
          <select
            id={id}
            data-testid="alert-crosses"
            value={limits.crosses}
            onChange={(event) => set("crosses")(event.target.value)}
          >
            <option value="above">greater than the limit</option>
            <option value="below">less than the limit</option>
          </select>
        </div>
        <TextField
          spellCheck={false}
          label="Limit"
          value={limits.limit}
          placeholder="80"
          testid="alert-limit"
          set={set("limit")}
        />
        <TextField
          spellCheck={false}
          label="Limit for clearing"
          value={limits.clear}
          placeholder="the same"
          testid="alert-clear"
          set={set("clear")}
        />
        <TextField
          spellCheck={false}
          label="Fires after"
          value={limits.wait}
          placeholder="at once, or 5min"
          testid="alert-for"
          set={set("wait")}
        />
        <TextField
          spellCheck={false}
          label="Ends after"
          value={limits.clearAfter}
          placeholder="at once, or 1min"
          testid="alert-clear-after"
          set={set("clearAfter")}
        />
      </div>
    </fieldset>
  );
}
