export type Route =
  | { page: "plans" }
  | { page: "streams" }
  | { page: "declare" }
  | { page: "stream"; name: string }
  | { page: "studio"; id: number | null }
  | { page: "none" };

export function routeOf(path: string): Route {
  if (path === "/") return { page: "plans" };
  if (/^\/streams\/?$/.test(path)) return { page: "streams" };
  // No stream has a name with a dash.
  if (/^\/streams\/declare-new\/?$/.test(path)) return { page: "declare" };
  const stream = /^\/streams\/(\w+)\/?$/.exec(path)?.[1];
  if (stream !== undefined) return { page: "stream", name: stream };
  const plan = /^\/plans\/(new|\d+)\/?$/.exec(path)?.[1];
  if (plan === undefined) return { page: "none" };
  return { page: "studio", id: plan === "new" ? null : Number(plan) };
}
