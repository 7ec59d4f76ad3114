/** The fields of charts of incidents. */
import { useCallback, useId } from "react";
import type { ChartDraft } from "../core/api/dashboards";
import { ChooseField } from "../core/search/ChooseField";
import { useLoaded } from "../core/ui/useLoaded";
import type { FieldsProps } from "./chartFields";
import { findAlerts, nameOfAlert } from "./chartOptions";
import { hasOption } from "./document";

const SEVERITIES = ["critical", "warning", "info"] as const;
const STATES = ["firing", "pending", "resolved", "retracted"] as const;

/** Which alert; empty: all of them. */
function AlertField({ draft, edit }: FieldsProps) {
  const { alert = null } = draft;
  const fetch = useCallback(() => (alert === null ? Promise.resolve("") : nameOfAlert(alert)), [alert]);
  const { value: name } = useLoaded(fetch);
  const needsOne = draft.type === "alert_keys";
  return (
    <>
      <ChooseField
        label={needsOne ? "Alert" : "Alert, empty: all"}
        testid="chart-alert"
        what="alerts"
        kind="alert"
        value={name ?? ""}
        find={findAlerts}
        choose={({ id }) => edit({ alert: Number(id) })}
      />
      {alert !== null && !needsOne && (
        <button type="button" className="all-alerts" onClick={() => edit({ alert: null })}>
          Show all alerts
        </button>
      )}
    </>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  testid: string;
  value: T | null;
  choices: readonly T[];
  set: (value: T | null) => void;
}

function ChoiceField<T extends string>({ label, testid, value, choices, set }: ChoiceProps<T>) {
  const id = useId();
  const chosen = (text: string): T | null => choices.find((choice) => choice === text) ?? null;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        data-testid={testid}
        value={value ?? ""}
        onChange={(event) => set(chosen(event.target.value))}
      >
        <option value="">all</option>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    </div>
  );
}

function MeasureField({ draft, edit }: FieldsProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Time until incidents are</label>
      <select
        id={id}
        data-testid="chart-measure"
        value={draft.measure ?? "resolve"}
        onChange={(event) =>
          edit({ measure: event.target.value === "acknowledge" ? "acknowledge" : "resolve" })
        }
      >
        <option value="resolve">resolved</option>
        <option value="acknowledge">acknowledged</option>
      </select>
    </div>
  );
}

/** Those that the type of the chart has. */
export function AlertFields(props: FieldsProps) {
  const { draft, edit } = props;
  const has = (option: Parameters<typeof hasOption>[1]): boolean => hasOption(draft.type, option);
  const set = (change: Partial<ChartDraft>) => edit(change);
  return (
    <>
      {has("alert") && <AlertField {...props} />}
      {has("severity") && (
        <div className="row">
          <ChoiceField
            label="Severity"
            testid="chart-severity"
            value={draft.severity ?? null}
            choices={SEVERITIES}
            set={(severity) => set({ severity })}
          />
          {has("incident_state") && (
            <ChoiceField
              label="State"
              testid="chart-incident-state"
              value={draft.incident_state ?? null}
              choices={STATES}
              set={(state) => set({ incident_state: state })}
            />
          )}
          {has("measure") && <MeasureField {...props} />}
        </div>
      )}
    </>
  );
}
