import { expect, test } from "vitest";
import type { Plan } from "../api/types";
import { fresh, refusesChange, refusesRun } from "./store";

const document = { version: 1 as const, name: "Theirs", nodes: {} };
const plan: Plan = {
  id: 1,
  name: "Theirs",
  owner: "ada",
  document,
  version: 1,
  saved_by: null,
  saved_at: null,
  running_version: null,
  running: false,
  placement: "isolated",
  updated_at: "2024-07-01T09:00:00Z",
  problems: [],
  nodes: [],
};
const bob = { username: "bob", is_staff: false };

test("another person's plan is refused before anything else, and says whose it is", () => {
  const state = { ...fresh(), loaded: true, plan, me: bob };
  expect(refusesChange(state)).toBe("This plan belongs to ada; make a copy to change it.");
  expect(refusesRun(state)).toBe(refusesChange(state));
});

test("one's own plan, a new one, and any plan for staff can be changed", () => {
  expect(refusesChange({ plan, me: { ...bob, username: "ada" } })).toBeNull();
  expect(refusesChange({ plan, me: { ...bob, is_staff: true } })).toBeNull();
  expect(refusesChange({ plan: null, me: bob })).toBeNull();
});
