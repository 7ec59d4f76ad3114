import { expect, test } from "vitest";
import { NO_LIMITS, refusesLimits, toParameters } from "./limits";

const limits = (more: Partial<typeof NO_LIMITS>) => ({ ...NO_LIMITS, limit: "80", ...more });

test("limits become parameters of an alert node; what is empty is left out", () => {
  expect(toParameters(limits({ clear: "75", wait: "5 min", clearAfter: "30s" }))).toEqual({
    above: 80,
    clear: 75,
    for: "5min",
    clear_after: "30s",
  });
  expect(toParameters(limits({ crosses: "below", limit: " -2.5 " }))).toEqual({ below: -2.5 });
});

test.each([
  [{ limit: "" }, "Give the limit as a number."],
  [{ limit: "hot" }, "Give the limit as a number."],
  [{ clear: "cold" }, "Give the limit for clearing as a number, or leave it empty."],
  [{ clear: "81" }, "The limit for clearing must be at most 80."],
  [{ crosses: "below" as const, clear: "79" }, "The limit for clearing must be at least 80."],
  [{ wait: "5" }, "Write a duration such as 30s, 5min or 1h."],
  [{ clearAfter: "5 years" }, "Write a duration such as 30s, 5min or 1h."],
])("%o is refused", (more, words) => {
  expect(refusesLimits(limits(more))).toBe(words);
});

test("what can be an alert node is not refused", () => {
  expect(refusesLimits(limits({ clear: "80", wait: "1.5 h" }))).toBeNull();
  expect(refusesLimits(limits({ crosses: "below", clear: "90" }))).toBeNull();
});
