/** The settings of an alert as somebody fills them in, and as they are sent. */
import type { Alert, AlertSettings } from "./calls";
import { draftFlapping, NEW_FLAPPING, refusesFlapping, toFlapping, type FlappingDraft } from "./flapping";

/** The labels are one text here: team=bakery, hall=2. */
export interface SettingsDraft extends Omit<
  AlertSettings,
  "labels" | "flapping_starts" | "flapping_window_s"
> {
  labels: string;
  flapping: FlappingDraft;
}

export const newDraft = (name: string): SettingsDraft => ({
  name,
  severity: "warning",
  policy: "early",
  labels: "",
  runbook: "",
  template: "",
  flapping: NEW_FLAPPING,
  channels: [],
});

export function draftOf(alert: Alert): SettingsDraft {
  const { name, severity, policy, labels, runbook, template, channels } = alert;
  const flapping = draftFlapping(alert);
  return { name, severity, policy, labels: formatLabels(labels), runbook, template, flapping, channels };
}

export const formatLabels = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, text]) => `${name}=${text}`)
    .join(", ");

/** Why these are no labels, or null. */
export function refusesLabels(text: string): string | null {
  const wrong = splitLabels(text).find((part) => part.indexOf("=") < 1);
  return wrong === undefined ? null : `“${wrong}” is no label. Write name=text, such as team=bakery.`;
}

const splitLabels = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

export function parseLabels(text: string): Record<string, string> {
  const pairs = splitLabels(text).map((part): [string, string] => {
    const at = part.indexOf("=");
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
  return Object.fromEntries(pairs);
}

export const toSettings = ({ flapping, ...draft }: SettingsDraft): AlertSettings => ({
  ...draft,
  ...toFlapping(flapping),
  name: draft.name.trim(),
  labels: parseLabels(draft.labels),
});

/** Why they cannot be sent, or null. */
export const refusesDraft = (draft: SettingsDraft): string | null =>
  draft.name.trim() === ""
    ? "Give the alert a name."
    : (refusesLabels(draft.labels) ?? refusesFlapping(draft.flapping));
