import { expect, test } from "vitest";
import { describeFlapping, draftFlapping, NEW_FLAPPING, refusesFlapping, toFlapping } from "./flapping";

test("what is filled in is sent in seconds, and comes back", () => {
  const sent = toFlapping({ starts: " 3 ", minutes: "0.5" });
  expect(sent).toEqual({ flapping_starts: 3, flapping_window_s: 30 });
  expect(draftFlapping(sent)).toEqual({ starts: "3", minutes: "0.5" });
});

test("what is no number, or too large, is refused", () => {
  expect(refusesFlapping(NEW_FLAPPING)).toBeNull();
  expect(refusesFlapping({ starts: "0", minutes: "30" })).toBeNull();
  for (const starts of ["", "-1", "1.5", "many", "1001"])
    expect(refusesFlapping({ ...NEW_FLAPPING, starts })).toContain("whole number");
  for (const minutes of ["", "0", "0.1", "x", "1441"])
    expect(refusesFlapping({ ...NEW_FLAPPING, minutes })).toContain("minutes");
});

test("it is said in words", () => {
  expect(describeFlapping(toFlapping(NEW_FLAPPING))).toBe("after more than 4 starts in 30 min");
  expect(describeFlapping({ flapping_starts: 0, flapping_window_s: 60 })).toBe("never");
});
