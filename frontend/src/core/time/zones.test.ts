import { expect, test } from "vitest";
import { listZones, searchZones } from "./zones";

const zones = listZones();
const names = (text: string): string[] => searchZones(zones, text).map(({ name }) => name);

test.each([
  ["berlin", "Europe/Berlin"],
  ["new york", "America/New_York"],
  ["kolkata", "Asia/Kolkata"],
  ["Asia/Kolkata", "Asia/Kolkata"],
  ["india standard", "Asia/Calcutta"],
  ["UTC", "UTC"],
  ["buenos aires", "America/Buenos_Aires"],
])("%s finds %s", (text, name) => {
  expect(names(text).map((one) => one.toLowerCase())).toContain(name.toLowerCase());
});

test("without a text all are listed, and what is no zone finds none", () => {
  expect(names("").length).toBeGreaterThan(300);
  expect(names("olympus mons")).toEqual([]);
});
