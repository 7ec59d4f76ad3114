import { useId } from "react";
import { ChoiceField } from "../core/ui/ChoiceField";
import { ChannelsField } from "./ChannelsField";
import { capitalize, POLICIES, SEVERITIES } from "./alertState";
import { FlappingFields } from "./FlappingFields";
import type { SettingsDraft } from "./settings";

interface Props {
  draft: SettingsDraft;
  change: (draft: SettingsDraft) => void;
}

interface TextProps {
  label: string;
  testid: string;
  value: string;
  placeholder?: string;
  maxLength: number;
  optional?: boolean;
  set: (value: string) => void;
}

function TextField({ label, testid, value, placeholder, maxLength, optional = true, set }: TextProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {optional && <i className="faint"> optional</i>}
      </label>
      <input
        id={id}
        data-testid={testid}
        placeholder={placeholder}
        maxLength={maxLength}
        value={value}
        onChange={(event) => set(event.target.value)}
      />
    </div>
  );
}

/** The settings of an alert that do not depend on its rule. */
export function SettingsFields({ draft, change }: Props) {
  const set = (name: Exclude<keyof SettingsDraft, "channels" | "flapping">) => (value: string) =>
    change({ ...draft, [name]: value });
  return (
    <>
      <TextField
        label="Name"
        testid="alert-name"
        value={draft.name}
        maxLength={200}
        optional={false}
        set={set("name")}
      />
      <ChoiceField
        label="Severity"
        testid="alert-severity"
        value={draft.severity}
        choices={SEVERITIES.map((severity) => [severity, capitalize(severity)])}
        set={set("severity")}
      />
      <ChoiceField
        label="Notify when"
        testid="alert-policy"
        value={draft.policy}
        choices={Object.entries(POLICIES)}
        set={set("policy")}
      />
      <ChannelsField chosen={draft.channels} choose={(channels) => change({ ...draft, channels })} />
      <FlappingFields draft={draft.flapping} change={(flapping) => change({ ...draft, flapping })} />
      <TextField
        label="Labels"
        testid="alert-labels"
        value={draft.labels}
        placeholder="team=bakery, hall=2"
        maxLength={4000}
        set={set("labels")}
      />
      <TextField
        label="Runbook"
        testid="alert-runbook"
        value={draft.runbook}
        placeholder="https://…"
        maxLength={500}
        set={set("runbook")}
      />
      <TextField
        label="Message"
        testid="alert-template"
        value={draft.template}
        placeholder="{alert}: {key} since {since}"
        maxLength={2000}
        set={set("template")}
      />
    </>
  );
}
