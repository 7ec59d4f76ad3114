export type Route =
  { page: "plans" } | { page: "streams" } | { page: "studio"; id: number | null } | { page: "none" };

export function routeOf(path: string): Route {
  if (path === "/") return { page: "plans" };
  if (/^\/streams\/?$/.test(path)) return { page: "streams" };
  const plan = /^\/plans\/(new|\d+)\/?$/.exec(path)?.[1];
  if (plan === undefined) return { page: "none" };
  return { page: "studio", id: plan === "new" ? null : Number(plan) };
}
