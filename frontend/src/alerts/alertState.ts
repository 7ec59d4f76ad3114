/** How alerts and incidents are called and coloured. */
import type { Tone } from "../core/ui/tone";
import type { Alert, Incident, Severity } from "./calls";

export const SEVERITIES: readonly Severity[] = ["critical", "warning", "info"];

/** In the order in which lists show them. */
export const INCIDENT_STATES = [
  "firing",
  "pending",
  "resolved",
  "retracted",
] as const satisfies readonly Incident["state"][];

/** When people are notified. */
export const POLICIES: Readonly<Record<Alert["policy"], string>> = {
  early: "as soon as it is known; corrections follow",
  final: "once no late event can change it",
};

const ALERT_TONES: Readonly<Record<Alert["state"], Tone>> = {
  firing: "red",
  pending: "amber",
  quiet: "green",
  waiting: "grey",
  disabled: "grey",
};

const INCIDENT_TONES: Readonly<Record<Incident["state"], Tone>> = {
  firing: "red",
  pending: "amber",
  resolved: "green",
  retracted: "grey",
};

export const toneOfAlert = ({ state }: Pick<Alert, "state">): Tone => ALERT_TONES[state];
export const toneOfIncident = ({ state }: Pick<Incident, "state">): Tone => INCIDENT_TONES[state];

/** As the first word of a line. */
export const capitalize = (word: string): string => `${word[0]?.toUpperCase() ?? ""}${word.slice(1)}`;
