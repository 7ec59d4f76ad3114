/** The calls about alerts and their incidents, and their wire types. */
import { call, read } from "../core/api/client";
import type { Wire } from "../core/api/wire";

export type Alert = Wire<"Alert">;
export type Severity = Alert["severity"];
export type Incident = Wire<"Incident">;
export type IncidentWithHistory = Wire<"IncidentWithHistory">;
export type Transition = Wire<"IncidentTransition">;
export type Note = Wire<"IncidentNote">;

const alertAt = (id: number, rest = ""): string => `/api/alerts/${id}/${rest}`;
const incidentAt = (id: number, rest = ""): string => `/api/incidents/${id}/${rest}`;

export const alertApi = {
  alert: (id: number) => read<Alert>(alertAt(id)),
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
