import { expect, test } from "vitest";
import type { NodeDetail } from "../core/api/types";
import { describeInput, describeObserved } from "./nodeState";

const BATCH = 1_719_824_400_000_000;
const SEEN = BATCH + 8_000_000;

const node = (last_progress: number | null, events: number, lag_of: "events" | "batches" = "events") =>
  ({
    status: { observed: "running", since: SEEN, last_progress },
    counters: { events },
    rates: { lag_of },
  }) as unknown as NodeDetail;

test("that a batch began before a node was seen to run contradicts nothing", () => {
  expect(describeObserved(node(BATCH, 40))).toBe("running since 2024-07-01 09:00:08 UTC");
  expect(describeInput(node(BATCH, 40))).toBe("in a batch that began at 2024-07-01 09:00:00 UTC");
});

test("a node that has read nothing has no newest input, though Spark has reported", () => {
  expect(describeInput(node(BATCH, 0))).toBe("none yet");
  expect(describeInput(node(null, 0))).toBe("none yet");
  expect(describeInput(node(BATCH, 0, "batches"))).toContain("09:00:00");
});
