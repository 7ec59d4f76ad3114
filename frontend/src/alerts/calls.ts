/** The calls about alerts and their incidents, and their wire types. */
import { call, read } from "../core/api/client";
import type { Wire } from "../core/api/wire";

export type Alert = Wire<"Alert">;
export type Severity = Alert["severity"];
export type Incident = Wire<"Incident">;
export type IncidentWithHistory = Wire<"IncidentWithHistory">;
export type Transition = Wire<"IncidentTransition">;
export type Note = Wire<"IncidentNote">;

/** The node that an alert is to watch. */
export interface AlertTarget {
  plan: number;
  node: string;
}

export interface AlertSettings {
  name: string;
  severity: Severity;
  policy: Alert["policy"];
  labels: Readonly<Record<string, string>>;
  runbook: string;
  template: string;
}

const alertAt = (id: number, rest = ""): string => `/api/alerts/${id}/${rest}`;
const incidentAt = (id: number, rest = ""): string => `/api/incidents/${id}/${rest}`;

export const alertApi = {
  alert: (id: number) => read<Alert>(alertAt(id)),
  create: (alert: AlertTarget & AlertSettings) => call<Alert>("POST", "/api/alerts/", alert),
  change: (id: number, settings: AlertSettings) => call<Alert>("PATCH", alertAt(id), settings),
  enable: (id: number, enabled: boolean) => call<Alert>("PATCH", alertAt(id), { enabled }),
  remove: (id: number) => call<null>("DELETE", alertAt(id)),
  incidentsAddress: (id: number) => alertAt(id, "incidents/"),
  incident: (id: number) => read<IncidentWithHistory>(incidentAt(id)),
  acknowledge: (id: number, acknowledged: boolean) =>
    call<IncidentWithHistory>("POST", incidentAt(id, "acknowledge/"), { acknowledged }),
  assign: (id: number, to: string | null) =>
    call<IncidentWithHistory>("POST", incidentAt(id, "assign/"), { to }),
  comment: (id: number, text: string) =>
    call<IncidentWithHistory>("POST", incidentAt(id, "comment/"), { text }),
};
