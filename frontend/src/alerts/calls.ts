/** The calls about alerts and their incidents, and their wire types. */
import { call, read } from "../core/api/client";
import type { Wire } from "../core/api/wire";

export type Alert = Wire<"Alert">;
export type Severity = Alert["severity"];
export type Incident = Wire<"Incident">;
export type IncidentWithHistory = Wire<"IncidentWithHistory">;
export type Transition = Wire<"IncidentTransition">;
export type Note = Wire<"IncidentNote">;
export type Channel = Wire<"Channel">;
export type ChannelKind = Wire<"ChannelKind">;
export type Silence = Wire<"Silence">;
export type ActiveSilence = Wire<"ActiveSilence">;

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
  flapping_starts: number;
  flapping_window_s: number;
  /** The numbers of the channels that it notifies. */
  channels: readonly number[];
}

/** What a new silence is for: left out is what does not matter. */
export interface NewSilence {
  alert?: number;
  key?: string;
  label?: string;
  label_value?: string;
  reason: string;
  begins_at?: string;
  ends_at: string;
  schedule?: NonNullable<Silence["schedule"]>;
  during?: { plan: number; node: string };
}

/** The options of a channel as somebody sets them; secrets that are left out stay as they are. */
type ChannelOptions = Readonly<Record<string, unknown>>;

const alertAt = (id: number, rest = ""): string => `/api/alerts/${id}/${rest}`;
const channelAt = (id: number, rest = ""): string => `/api/channels/${id}/${rest}`;
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

export const channelApi = {
  kinds: () => read<{ kinds: ChannelKind[] }>("/api/channel-kinds/").then(({ kinds }) => kinds),
  address: (limit: number) => `/api/channels/?limit=${limit}`,
  create: (name: string, kind: string, options: ChannelOptions) =>
    call<Channel>("POST", "/api/channels/", { name, kind, options }),
  change: (id: number, name: string, options: ChannelOptions) =>
    call<Channel>("PATCH", channelAt(id), { name, options }),
  pause: (id: number, paused: boolean) => call<Channel>("PATCH", channelAt(id), { paused }),
  test: (id: number) => call<null>("POST", channelAt(id, "test/")),
  remove: (id: number) => call<null>("DELETE", channelAt(id)),
  /** The alerts that notify it and that one may view. */
  alerts: (id: number) => read<{ results: Alert[] }>(`/api/alerts/?channel=${id}&limit=200`),
};

export const silenceApi = {
  create: (silence: NewSilence) => call<Silence>("POST", "/api/silences/", silence),
  end: (id: number) => call<null>("DELETE", `/api/silences/${id}/`),
};
