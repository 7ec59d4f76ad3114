import { expect, test } from "vitest";
import type { Plan, PlanDocument } from "../../core/api/types";
import { start } from "../../core/graph/history";
import { drawnIn, buildInitialState, problemsOf, refusesChange, refusesOperating, refusesRun } from "./store";

const document = { version: 1 as const, name: "Theirs", nodes: {} };
const plan: Plan = {
  id: 1,
  name: "Theirs",
  owner: "ada",
  owner_kind: "person",
  rights: ["read"],
  open_to_all: true,
  document,
  version: 1,
  saved_by: null,
  saved_at: null,
  running_version: null,
  running: false,
  placement: "isolated",
  ended: "",
  updated_at: "2024-07-01T09:00:00Z",
  problems: [],
  not_shared: [],
  display: {},
  nodes: [],
};

test("a viewer is told of the role, whoever owns the plan, and of a new one as well", () => {
  const me = {
    username: "vic",
    is_staff: false,
    role: "viewer" as const,
    teams: [],
    theme: "system" as const,
    zone: "",
    public_links: false,
  };
  const looks = "Your role, viewer, lets you look only. Ask an administrator for another.";
  const state = { ...buildInitialState(), loaded: true, plan, me };
  expect(refusesChange(state)).toBe(`This plan belongs to ada. ${looks}`);
  expect(refusesOperating(state)).toBe(refusesChange(state));
  expect(refusesChange({ plan: null, me })).toBe(looks);
  expect(refusesOperating({ plan: null, me })).toBe(looks);
});

test("who may run a plan and not change it may stop it, and the other way round", () => {
  expect(refusesOperating({ plan: { ...plan, rights: ["read", "operate"] }, me: null })).toBeNull();
  expect(refusesOperating({ plan: { ...plan, rights: ["read", "edit"] }, me: null })).toBe(
    "ada owns this plan, and you may not run or stop it.",
  );
});

test("a document is looked at by the right of the plan that it is drawn in, while that is there", () => {
  expect(drawnIn({ plan, gone: false })).toBe(1);
  expect(drawnIn({ plan: null, gone: false })).toBeNull();
  expect(drawnIn({ plan, gone: true })).toBeNull();
});

test("another person's plan is refused before anything else, and says whose it is", () => {
  const state = { ...buildInitialState(), loaded: true, plan };
  expect(refusesChange(state)).toBe("This plan belongs to ada; make a copy to change it.");
  expect(refusesRun(state)).toBe(refusesChange(state));
});

test("that there are no nodes is told no longer than there are none", () => {
  const problem = { node: null, port: null, code: "no_nodes", message: "the plan has no nodes", hint: "" };
  const none = { ...problem, severity: "error" as const };
  const check = { document, answer: { ok: false, problems: [none], nodes: {} } };
  const drawn = { ...document, nodes: { a: { op: "nothing" } } };
  const of = (present: typeof drawn | typeof document) =>
    problemsOf({ ...buildInitialState(), check, history: start<PlanDocument>(present) }).map(
      ({ code }) => code,
    );
  expect(of({ ...document })).toEqual(["no_nodes"]);
  expect(of(drawn)).toEqual(["unknown_operator"]);
});

test("what no event of a sample has is a problem of the document that was computed, told once", () => {
  const problem = { node: "a", port: "where", code: "unmet_condition", message: "", hint: "" };
  const unmet = { ...problem, severity: "warning" as const };
  const known = { ...unmet, code: "key_is_no_field" };
  const present = { ...document, nodes: { a: { op: "nothing" } } };
  const check = { document: present, answer: { ok: true, problems: [known], nodes: {} } };
  const sampleWarnings = { document: present, problems: [known, unmet] };
  const of = (drawn: PlanDocument) =>
    problemsOf({ ...buildInitialState(), check, sampleWarnings, history: start(drawn) }).map(
      ({ code }) => code,
    );
  expect(of(present)).toEqual(["key_is_no_field", "unmet_condition"]);
  expect(of({ ...document, nodes: { b: { op: "nothing" } } })).not.toContain("unmet_condition");
});

test("a plan that one may change, and a new one, can be changed", () => {
  expect(refusesChange({ plan: { ...plan, rights: ["read", "edit"] }, me: null })).toBeNull();
  expect(refusesChange({ plan: null, me: null })).toBeNull();
});
