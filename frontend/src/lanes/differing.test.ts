import { expect, test } from "vitest";
import { differing } from "./differing";

const one = { different: 1, seconds: 60, open: false, known: true };

test("how then differs from now is summed up over the lanes", () => {
  expect(differing([], false)).toBe("");
  expect(differing([{ ...one, different: 0, seconds: 0 }], false)).toBe("the same as now");
  expect(differing([one, { ...one, open: true }], false)).toBe(
    "differs from now in 2 stretches, 2 min and what is open",
  );
  expect(differing([one, { ...one, different: 0, seconds: 0, known: false }], false)).toBe(
    "differs from now in 1 stretch, 1 min · of 1 nothing was known yet",
  );
});

test("where only lanes in sight are looked at, that is said", () => {
  expect(differing([one, one], true)).toBe("of the 2 lanes in sight: differs from now in 2 stretches, 2 min");
});
