import { describe, expect, test } from "vitest";
import type { NodeStatus } from "../../core/api/types";
import { selectCounts, describeCounts } from "./nodeCounts";

const status = (over: Partial<NodeStatus>): NodeStatus => ({
  name: "n",
  digest: "d",
  desired: "running",
  observed: "running",
  words: "running",
  error: "",
  trouble: "",
  hint: "",
  counters: {},
  rates: {},
  final_until: null,
  as_of: null,
  ...over,
});

describe("what a node of the canvas tells of its counters", () => {
  test("is nothing where nothing waits and nothing was late", () => {
    expect(selectCounts(status({ counters: { events: 90, late: 0 }, rates: { lag: 0 } }))).toEqual([]);
  });

  test("is what waits, what was late, came twice, or came too late to be counted", () => {
    const counters = { late: 1204, duplicates: 3, too_late: 1 };
    const counts = selectCounts(status({ counters, rates: { lag: 7, lag_of: "batches" } }));
    expect(counts.map(({ count, words }) => `${count} ${words}`)).toEqual([
      "7 batches wait",
      "1,204 late",
      "3 duplicates",
      "1 too late",
    ]);
    expect(counts.filter(({ bad }) => bad)).toHaveLength(1);
  });

  test.each([
    ["events", 1, "1 waits"],
    ["events", 2, "2 wait"],
    ["batches", 1, "1 batch waits"],
    ["batches", 2, "2 batches wait"],
  ] as const)("of %s says of %i: %s", (lag_of, lag, said) => {
    const [told] = selectCounts(status({ rates: { lag, lag_of } }));
    expect(`${told?.count} ${told?.words}`).toBe(said);
  });

  test("says in its tooltip whose it is and what went wrong", () => {
    const told = describeCounts("failed", status({ error: "no space", owner: "ada" }));
    expect(told).toContain("no space");
    expect(told).toContain("owned by ada");
    expect(describeCounts("stopped", undefined)).toBe("stopped");
  });
});
