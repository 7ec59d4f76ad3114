export type Route =
  | { page: "plans" }
  | { page: "streams" }
  | { page: "declare" }
  | { page: "stream"; name: string }
  | { page: "dashboards" }
  | { page: "dashboard"; id: number; kiosk: boolean }
  | { page: "public" }
  | { page: "studio"; id: number | null }
  | { page: "tokens" }
  | { page: "audit" }
  | { page: "people" }
  | { page: "alerts" }
  | { page: "alert"; id: number }
  | { page: "incident"; id: number }
  | { page: "incidents" }
  | { page: "silences" }
  | { page: "channels" }
  | { page: "nodes" }
  | { page: "node"; digest: string }
  | { page: "looks" }
  | { page: "operations" }
  | { page: "storage" }
  | { page: "none" };

/** The part of the product in which a page is. */
export type Place =
  | "plans"
  | "streams"
  | "studio"
  | "dashboards"
  | "tokens"
  | "audit"
  | "people"
  | "nodes"
  | "alerts"
  | "looks"
  | "operations"
  | "storage";

const PLACES: Readonly<Record<Route["page"], Place>> = {
  plans: "plans",
  streams: "streams",
  declare: "streams",
  stream: "streams",
  dashboards: "dashboards",
  dashboard: "dashboards",
  public: "dashboards",
  studio: "studio",
  tokens: "tokens",
  audit: "audit",
  people: "people",
  alerts: "alerts",
  alert: "alerts",
  incident: "alerts",
  incidents: "alerts",
  silences: "alerts",
  channels: "alerts",
  nodes: "nodes",
  node: "nodes",
  looks: "looks",
  operations: "operations",
  storage: "storage",
  none: "plans",
};

export const placeOf = ({ page }: Route): Place => PLACES[page];

export function routeOf(path: string): Route {
  if (path === "/") return { page: "plans" };
  if (/^\/streams\/?$/.test(path)) return { page: "streams" };
  // No stream has a name with a dash.
  if (/^\/streams\/declare-new\/?$/.test(path)) return { page: "declare" };
  const stream = /^\/streams\/(\w+)\/?$/.exec(path)?.[1];
  if (stream !== undefined) return { page: "stream", name: stream };
  if (/^\/dashboards\/?$/.test(path)) return { page: "dashboards" };
  if (/^\/public\/?$/.test(path)) return { page: "public" };
  if (/^\/looks\/?$/.test(path)) return { page: "looks" };
  if (/^\/operations\/?$/.test(path)) return { page: "operations" };
  if (/^\/storage\/?$/.test(path)) return { page: "storage" };
  if (/^\/tokens\/?$/.test(path)) return { page: "tokens" };
  if (/^\/audit\/?$/.test(path)) return { page: "audit" };
  if (/^\/people\/?$/.test(path)) return { page: "people" };
  if (/^\/nodes\/?$/.test(path)) return { page: "nodes" };
  const digest = /^\/nodes\/(\w+)\/?$/.exec(path)?.[1];
  if (digest !== undefined) return { page: "node", digest };
  if (/^\/alerts\/?$/.test(path)) return { page: "alerts" };
  const alert = /^\/alerts\/(\d{1,15})\/?$/.exec(path)?.[1];
  if (alert !== undefined) return { page: "alert", id: Number(alert) };
  if (/^\/incidents\/?$/.test(path)) return { page: "incidents" };
  if (/^\/silences\/?$/.test(path)) return { page: "silences" };
  if (/^\/channels\/?$/.test(path)) return { page: "channels" };
  const incident = /^\/incidents\/(\d{1,15})\/?$/.exec(path)?.[1];
  if (incident !== undefined) return { page: "incident", id: Number(incident) };
  const board = /^\/dashboards\/(\d{1,15})\/(kiosk\/?)?$/.exec(path);
  if (board) return { page: "dashboard", id: Number(board[1]), kiosk: board[2] !== undefined };
  const plan = /^\/plans\/(new|\d{1,15})\/?$/.exec(path)?.[1];
  if (plan === undefined) return { page: "none" };
  return { page: "studio", id: plan === "new" ? null : Number(plan) };
}
