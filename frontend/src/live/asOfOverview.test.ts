import { expect, test } from "vitest";
import { coarsenWindow } from "./asOfOverview";

test("a stretch stays the same while time goes on by little, and holds what is asked for", () => {
  const range = { start: 1_000_000_123, end: 1_700_000_456 };
  const asked = coarsenWindow(range);
  expect(asked.start).toBeLessThanOrEqual(range.start);
  expect(asked.end).toBeGreaterThanOrEqual(range.end);
  const steps = Array.from({ length: 100 }, (_, i) =>
    coarsenWindow({ ...range, end: range.end + i * 1_000_000 }),
  );
  expect(new Set(steps.map(({ start, end }) => `${start} ${end}`)).size).toBeLessThanOrEqual(3);
});
