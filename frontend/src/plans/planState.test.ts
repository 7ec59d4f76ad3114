import { expect, test } from "vitest";
import type { Plan } from "../core/api/types";
import { stateOf } from "./planState";

const plan = (running: boolean, ...statuses: string[]): Pick<Plan, "running" | "nodes"> => ({
  running,
  nodes: statuses.map((status, i) => ({
    name: `n${i}`,
    digest: "",
    kind: { output: "bool" } as never,
    status,
  })),
});

test.each([
  [plan(false, "failed"), "stopped", "stopped"],
  [plan(true, "running", "running"), "running", "running"],
  [plan(true, "running", "starting"), "starting", "running, 1 starting"],
  [plan(true, "starting", "retrying"), "retrying", "running, 1 tried again"],
  [plan(true, "failed", "retrying", "failed"), "failed", "running, 2 failed"],
  [plan(true, "running", "retrying"), "retrying", "running, 1 tried again"],
])("a plan is as the worst of its nodes", (one, state, words) => {
  expect(stateOf(one)).toEqual({ state, words });
});
