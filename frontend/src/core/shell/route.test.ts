import { expect, test } from "vitest";
import { routeOf } from "./route";

test.each([
  ["/", { page: "plans" }],
  ["/streams/", { page: "streams" }],
  ["/streams/declare-new/", { page: "declare" }],
  ["/streams/player/", { page: "stream", name: "player" }],
  ["/streams/no stream/", { page: "none" }],
  ["/plans/new/", { page: "studio", id: null }],
  ["/plans/12/", { page: "studio", id: 12 }],
  ["/dashboards/", { page: "dashboards" }],
  ["/dashboards/7/", { page: "dashboard", id: 7, kiosk: false }],
  ["/dashboards/7/kiosk/", { page: "dashboard", id: 7, kiosk: true }],
  ["/alerts/", { page: "alerts" }],
  ["/alerts/5/", { page: "alert", id: 5 }],
  ["/alerts/x/", { page: "none" }],
  ["/incidents/12/", { page: "incident", id: 12 }],
  ["/tokens/", { page: "tokens" }],
  ["/operations/", { page: "operations" }],
  ["/storage/", { page: "storage" }],
  ["/dashboards/x/", { page: "none" }],
  ["/plans/x/", { page: "none" }],
  ["/plans/99999999999999999999999/", { page: "none" }],
  ["/dashboards/99999999999999999999999/", { page: "none" }],
])("%s", (path, route) => {
  expect(routeOf(path)).toEqual(route);
});
