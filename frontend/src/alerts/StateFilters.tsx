import type { ReactNode } from "react";
import { FilterChips } from "../core/search/FilterChips";
import { capitalize, SEVERITIES } from "./alertState";
import type { Severity } from "./calls";

interface StateFiltersProps<State extends string> {
  states: readonly State[];
  state: State | "";
  chooseState: (state: State | "") => void;
  severity: Severity | "";
  chooseSeverity: (severity: Severity | "") => void;
  children?: ReactNode;
}

/** Chips that filter a list by state and severity. */
export function StateFilters<State extends string>(props: StateFiltersProps<State>) {
  return (
    <div className="list-tools">
      <FilterChips
        label="State"
        choices={props.states.map((state) => [state, capitalize(state)])}
        value={props.state}
        choose={props.chooseState}
      />
      <FilterChips
        label="Severity"
        choices={SEVERITIES.map((severity) => [severity, capitalize(severity)])}
        value={props.severity}
        choose={props.chooseSeverity}
      />
      {props.children}
    </div>
  );
}
