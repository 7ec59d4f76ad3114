import { expect, test } from "vitest";
import { describeExpiry, refusesToken, formatScopes } from "./tokenWords";

const NOW = Date.parse("2026-07-01T12:00:00Z");

test.each([
  ["2026-07-01T13:00:00Z", false, "within a day"],
  ["2026-07-03T12:00:00Z", false, "in 2 days"],
  ["2026-07-04T11:00:00Z", false, "in 3 days"],
  ["2026-06-30T12:00:00Z", true, "ended"],
])("a token that ends at %s", (expires_at, expired, words) => {
  expect(describeExpiry({ expires_at, expired }, NOW)).toBe(words);
});

test("what a token may do is said in one order", () => {
  expect(formatScopes(["events", "read"])).toBe("Read, Push events");
});

test.each([
  [{ name: " ", scopes: ["read"], password: "x" }, "Enter a name."],
  [{ name: "ci", scopes: [], password: "x" }, "Choose at least one scope."],
  [{ name: "ci", scopes: ["read"], password: "" }, "Enter your password."],
  [{ name: "ci", scopes: ["read"], password: " " }, null],
] as const)("a token of %o", (wanted, words) => {
  expect(refusesToken(wanted)).toBe(words);
});
