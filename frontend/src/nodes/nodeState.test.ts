import { expect, test } from "vitest";
import type { NodeDetail } from "../core/api/types";
import { inputWords, seenWords } from "./nodeState";

const BATCH = 1_719_824_400_000_000;
const SEEN = BATCH + 8_000_000;

const node = (last_progress: number | null, events: number, lag_of: "events" | "batches" = "events") =>
  ({
    status: { observed: "running", since: SEEN, last_progress },
    counters: { events },
    rates: { lag_of },
  }) as unknown as NodeDetail;

test("that a batch began before a node was seen to run contradicts nothing", () => {
  expect(seenWords(node(BATCH, 40))).toBe("running since 2024-07-01 09:00:08 UTC");
  expect(inputWords(node(BATCH, 40))).toBe("in a batch that began at 2024-07-01 09:00:00 UTC");
});

test("a node that has read nothing has no newest input, though Spark has reported", () => {
  expect(inputWords(node(BATCH, 0))).toBe("none yet");
  expect(inputWords(node(null, 0))).toBe("none yet");
  expect(inputWords(node(BATCH, 0, "batches"))).toContain("09:00:00");
});
