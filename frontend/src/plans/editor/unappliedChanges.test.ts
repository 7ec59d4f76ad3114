import { expect, test } from "vitest";
import { matchRunningNodes } from "./runningNodes";
import { compareWithRunning, refusesApply } from "./unappliedChanges";
import { buildInitialState, type StudioState } from "./store";
import { start } from "../../core/graph/history";
import type { Plan, PlanDocument } from "../../core/api/types";

const RUNS = [
  { name: "a", digest: "1" },
  { name: "b", digest: "2" },
  { name: "", digest: "3" },
];

function pending(drawn: Record<string, string | undefined>) {
  const names = Object.keys(drawn);
  const digestOf = (name: string) => drawn[name];
  const all = matchRunningNodes(names, RUNS, digestOf);
  return { ...compareWithRunning(names, RUNS, all, digestOf), runs: all.runs, drawn: all.drawn };
}

test("what computes the same as what runs is not pending, wherever it lies", () => {
  const found = pending({ a: "1", b: "2" });
  expect([...found.nodes]).toEqual([]);
  expect([found.renamed.size, found.removed]).toEqual([0, 0]);
});

test("a node that computes something else is pending, one that is new, and one that was taken away", () => {
  const found = pending({ a: "9", c: "4" });
  expect([...found.nodes]).toEqual(["a", "c"]);
  expect(found.runs.get("a")?.digest).toBe("1");
  expect([found.renamed.size, found.removed]).toEqual([0, 1]);
});

test("before the check has answered, what runs under its name counts as it is", () => {
  expect([...pending({ a: undefined, b: undefined, c: undefined }).nodes]).toEqual(["c"]);
});

test("a name is a label: what runs is found under another one, also where two change places", () => {
  const found = pending({ z: "1", b: "2" });
  expect(found.runs.get("z")?.name).toBe("a");
  expect(found.drawn.get("a")).toBe("z");
  expect([...found.nodes]).toEqual([]);
  expect([...found.renamed]).toEqual([["z", "a"]]);
  expect(found.removed).toBe(0);
  expect([...pending({ b: "1", a: "2" }).renamed]).toEqual([
    ["b", "a"],
    ["a", "b"],
  ]);
});

test("what was called so before is not what is drawn under that name now", () => {
  const found = pending({ z: "1", a: "8", b: "2" });
  expect(found.runs.has("a")).toBe(false);
  expect([...found.nodes]).toEqual(["a"]);
  expect([...found.renamed]).toEqual([["z", "a"]]);
});

test("one that was made the same as another one that is drawn has changed", () => {
  const found = pending({ a: "2", b: "2" });
  expect(found.runs.get("a")?.digest).toBe("1");
  expect([...found.nodes]).toEqual(["a"]);
  expect(found.renamed.size).toBe(0);
});

const nodes = { a: { op: "has_existed", stream: "player", params: { where: "true" } } };
const document = { version: 1 as const, name: "Mine", nodes };
const plan: Plan = {
  id: 1,
  name: "Mine",
  owner: "ada",
  owner_kind: "person",
  rights: ["read", "edit", "operate", "own"],
  open_to_all: true,
  document,
  version: 1,
  saved_by: null,
  saved_at: null,
  running_version: 1,
  running: true,
  placement: "isolated",
  ended: "",
  updated_at: "2024-07-01T09:00:00Z",
  problems: [],
  not_shared: [],
  display: {},
  nodes: [{ name: "a", digest: "1", kind: "bool", status: "running" }],
};

function studio(more: Partial<StudioState> = {}, drawn: PlanDocument = document): StudioState {
  const check = { document: drawn, answer: { ok: true, problems: [], nodes: {} } };
  return { ...buildInitialState(), loaded: true, plan, history: start(drawn), check, ...more };
}

const status = (observed: string) => ({ a: { observed } }) as unknown as StudioState["statuses"];

test("Apply rests where nothing would change, and says so", () => {
  expect(refusesApply(studio())).toBe("No changes to apply");
  expect(refusesApply(studio({ statuses: status("running") }))).toBe("No changes to apply");
});

test("Apply does not rest for a change, another placement, or a failed node", () => {
  const more = { ...document, nodes: { ...nodes, b: { op: "not", inputs: { of: "a" } } } };
  expect(refusesApply(studio({}, more))).toBeNull();
  expect(refusesApply(studio({ placement: "together" }))).toBeNull();
  expect(refusesApply(studio({ statuses: status("failed") }))).toBeNull();
});

test("Run of a plan that does not run never rests for want of changes", () => {
  expect(refusesApply(studio({ plan: { ...plan, running: false, nodes: [] } }))).toBeNull();
});
