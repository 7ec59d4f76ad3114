import { expect, test } from "vitest";
import type { NodeStatus, PlanNode } from "../../core/api/types";
import { rowsOf, summaryOf } from "./progress";

const node = (name: string): PlanNode => ({ name, digest: name, kind: "bool", status: "starting" });

function status(name: string, more: Partial<NodeStatus>): NodeStatus {
  const told = {
    desired: "running",
    observed: "running",
    words: "running",
    error: "",
    trouble: "",
    hint: "",
  } as const;
  return { name, digest: name, ...told, counters: {}, rates: {}, final_until: null, as_of: null, ...more };
}

const CATCHING = {
  backlog: { events: 1000, done: 0.437, seconds_left: 11.2 },
  rates: { events_per_second: 1204 },
};

test("what needs a person comes first, what runs last", () => {
  const statuses = {
    a: status("a", {}),
    b: status("b", CATCHING),
    c: status("c", { observed: "failed", trouble: "The disk is full.", hint: "Make room." }),
    d: status("d", { observed: "starting" }),
  };
  const rows = rowsOf(["a", "b", "c", "d", "e"].map(node), statuses);
  expect(rows.map((row) => row.name)).toEqual(["c", "d", "e", "b", "a"]);
  expect(rows[0]).toMatchObject({ trouble: "The disk is full.", hint: "Make room." });
  expect(summaryOf(rows)).toBe("2 of 5 run · 1 failing · 1 catching up, 43 % at least");
});

test("a node is told by the name under which it is drawn", () => {
  const drawn = new Map([["a", "z"]]);
  const [row] = rowsOf([node("a")], { a: status("a", { words: "idle" }) }, drawn);
  expect(row).toMatchObject({ name: "z", as: "a", words: "idle" });
});

test("a node that catches up says how far, how fast and how long", () => {
  const [row] = rowsOf([node("b")], { b: status("b", CATCHING) });
  expect(row).toMatchObject({ done: 0.437, pace: "43 % · 1,204 events/s · 12 s left" });
});

test("a node that does not run has nothing to catch up with, whatever was told of it before", () => {
  const [row] = rowsOf([node("b")], {
    b: status("b", { ...CATCHING, observed: "retrying", words: "retry 2 of 20" }),
  });
  expect(row).toMatchObject({ done: null, pace: "", words: "retry 2 of 20" });
});

test("a node of which nothing was heard yet shows what the plan says of it", () => {
  expect(rowsOf([node("a")], {})[0]).toMatchObject({ observed: "starting", words: "starting" });
});
