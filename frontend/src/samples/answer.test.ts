import { expect, test } from "vitest";
import type { Display } from "../timechart/display";
import { spellSaid } from "./answer";

const DISPLAY: Display = {
  values: { failed: { label: "Out of order" }, true: { label: "On" } },
  format: "percent",
};

test("a value of a sample is shown as somebody chose for its node", () => {
  expect(spellSaid({ value: "failed" }, DISPLAY)).toBe("Out of order");
  expect(spellSaid({ value: true }, DISPLAY)).toBe("On");
  expect(spellSaid({ value: 0.25, slope: 0 }, DISPLAY)).toBe("25 %");
  expect(spellSaid({ num: { value: 1, slope: 0 }, den: { value: 4, slope: 0 } }, DISPLAY)).toBe("25 %");
});

test("where nobody chose anything, it is as it was said", () => {
  expect(spellSaid({ value: "failed" })).toBe("failed");
  expect(spellSaid({ value: 0.25, slope: 2 })).toBe("0.25 (+2/s)");
  expect(spellSaid({ value: null }, DISPLAY)).toBe("unknown");
});
