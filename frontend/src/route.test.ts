import { expect, test } from "vitest";
import { routeOf } from "./route";

test.each([
  ["/", { page: "plans" }],
  ["/streams/", { page: "streams" }],
  ["/plans/new/", { page: "studio", id: null }],
  ["/plans/12/", { page: "studio", id: 12 }],
  ["/plans/x/", { page: "none" }],
])("%s", (path, route) => {
  expect(routeOf(path)).toEqual(route);
});
