import { expect, test } from "vitest";
import { describeMatching, formatReading } from "./words";

const told = (matching: number, looked_at: number, stopped_at: number | null = null) => ({
  matching,
  looked_at,
  stopped_at,
});

test("one key is, several are, and what has stopped was", () => {
  expect(describeMatching(told(1, 1), "true", "now")).toBe("1 of 1 key is true now");
  expect(describeMatching(told(2, 2), "true", "now")).toBe("2 of 2 keys are true now");
  expect(describeMatching(told(1, 3000), "play", "now")).toBe("1 of 3,000 keys is play now");
  expect(describeMatching(told(0, 2, 7), "true", "at 12:00:00")).toBe("0 of 2 keys were true at 12:00:00");
});

test("a lane tells a percentage and how fast it climbs in the same format", () => {
  const reading = { value: 0.5, slope: 0.1, from: null, to: null };
  const said = { reading, busy: null, projected: false };
  expect(formatReading(said, { format: "percent" })).toBe("50 % (+10 %/s)");
  expect(formatReading(said, { format: "duration" })).toBe("500 ms");
});
