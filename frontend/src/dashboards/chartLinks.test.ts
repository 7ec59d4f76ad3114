import { expect, test } from "vitest";
import { hrefOfLink, refusesLink, titleOfLink, type LinkPlace } from "./chartLinks";

const NOON = 1_719_835_200_000_000;
const PLACE: LinkPlace = {
  keys: ["s/1 &2"],
  groups: ["CDN1"],
  range: "1h",
  window: { start: NOON, end: NOON + 60_000_000 },
  isFixed: false,
};

test("a chart leads to another dashboard with the key, the group and the range", () => {
  const link = { to: "dashboard", title: "", dashboard: 7 } as const;
  expect(hrefOfLink({ plan: 3 }, link, PLACE)).toBe("/dashboards/7/?key=s%2F1+%262&group=CDN1&range=1h");
  expect(hrefOfLink({ plan: 3 }, link, { ...PLACE, isFixed: true })).toContain("&from=2024-07-01T12:00:00");
});

test("a chart leads to the lanes of its plan, and without a plan nowhere", () => {
  const link = { to: "lanes", title: "" } as const;
  expect(hrefOfLink({ plan: 3 }, link, PLACE)).toBe("/plans/3/?key=s%2F1+%262&group=CDN1&range=1h");
  expect(hrefOfLink({ plan: 0 }, link, PLACE)).toBeNull();
});

test("what is put into an address is encoded, and only https is followed", () => {
  const to = (address: string) => hrefOfLink({ plan: 3 }, { to: "address", title: "", address }, PLACE);
  expect(to("https://wiki.example/run/{key}?cdn={group}&x={other}")).toBe(
    "https://wiki.example/run/s%2F1%20%262?cdn=CDN1&x={other}",
  );
  expect(to("https://wiki.example/?from={from}")).toContain("?from=2024-07-01T12%3A00%3A00");
  for (const address of ["http://wiki.example/", "javascript:alert(1)", " https://wiki.example/", ""])
    expect(to(address)).toBeNull();
});

test("a link that is not complete says what is missing", () => {
  expect(refusesLink(null)).toBeNull();
  expect(refusesLink({ to: "lanes", title: "" })).toBeNull();
  expect(refusesLink({ to: "dashboard", title: "", dashboard: null })).toContain("Choose the dashboard");
  expect(refusesLink({ to: "address", title: "", address: "http://wiki.example/" })).toContain("https://");
  expect(refusesLink({ to: "address", title: "", address: "https://wiki.example/{key}" })).toBeNull();
  expect(titleOfLink({ to: "lanes", title: "" })).toBe("Open the lanes");
  expect(titleOfLink({ to: "lanes", title: "Details" })).toBe("Details");
});
