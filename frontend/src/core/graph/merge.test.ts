import { expect, test } from "vitest";
import { merge } from "./merge";
import { CIRR, OPERATORS } from "./sample.testing";
import type { PlanDocument } from "../api/types";

const OTHER: PlanDocument = {
  version: 1,
  name: "Other",
  nodes: {
    state: { op: "latest_event_to_state", stream: "player", params: { field: "cdn" } },
    same: { op: "equal_to", inputs: { of: "state" }, params: { value: "a" } },
    wrong: { op: "not", inputs: { of: "same" } },
  },
  results: ["same"],
  groups: [{ title: "Taken along", nodes: ["state", "same"] }],
};

test("nodes come under new names where theirs are taken, and stay wired to each other", () => {
  const { document, names } = merge(CIRR, OTHER, OPERATORS);
  expect([...names]).toEqual([
    ["state", "state_2"],
    ["same", "same"],
    ["wrong", "wrong"],
  ]);
  expect(document.nodes.same?.inputs).toEqual({ of: "state_2" });
  expect(document.nodes.state).toBe(CIRR.nodes.state);
  expect(document.name).toBe(CIRR.name);
});

test("what was a result of either stays one", () => {
  const { document } = merge({ ...CIRR, results: ["induced"] }, OTHER, OPERATORS);
  expect(document.results).toEqual(["induced", "same"]);
});

test("groups come along, and nothing lies on what was there", () => {
  const { document } = merge(CIRR, OTHER, OPERATORS);
  expect(document.groups?.map(({ title, nodes }) => [title, nodes])).toEqual([
    ["Seeks", ["seeking", "calm"]],
    ["Taken along", ["state_2", "same"]],
  ]);
  const bottom = Math.max(...Object.keys(CIRR.nodes).map((name) => document.layout?.[name]?.[1] ?? 0));
  for (const name of ["state_2", "same", "wrong"])
    expect(document.layout?.[name]?.[1] ?? 0).toBeGreaterThan(bottom);
});

test("an empty plan becomes what is added", () => {
  const { document } = merge({ version: 1, name: "New", nodes: {}, results: [] }, OTHER, OPERATORS);
  expect(Object.keys(document.nodes)).toEqual(["state", "same", "wrong"]);
});
