import { expect, test } from "vitest";
import { describeDifferences, describeDifferencesByLane } from "./differences";

const MINUTE = 60_000_000;
const sight = { start: 0, end: 5 * MINUTE };
const one = { differences: [{ from: 0, to: MINUTE }], different: 1, known: true };
const same = { ...one, differences: [], different: 0 };

test("how then differs from now is told by lane, and instants that several lanes share count once", () => {
  expect(describeDifferences([], sight, false)).toBe("");
  expect(describeDifferences([same, same], sight, false)).toBe("same as now");
  const open = { ...one, differences: [{ from: MINUTE / 2, to: null }] };
  expect(describeDifferences([one, open, same], sight, false)).toBe(
    "2 of 3 lanes differ from now · 5 min of the visible time",
  );
  expect(describeDifferences([one, { ...same, known: false }], sight, false)).toBe(
    "1 of 2 lanes differ from now · 1 min of the visible time · 1 had no data yet",
  );
  expect(describeDifferencesByLane({ a: one, b: same, c: open }, sight)).toBe(
    "a: 1 stretch, 1 min\nc: 1 stretch, 4 min 30 s",
  );
});

test("what is not seen does not count, and what was not told stretch by stretch is at least so much", () => {
  const outside = { ...one, differences: [{ from: 6 * MINUTE, to: null }] };
  expect(describeDifferences([outside], sight, false)).toBe("same as now");
  expect(describeDifferences([{ ...one, different: 900 }], sight, false)).toBe(
    "1 of 1 lane differs from now · at least 1 min of the visible time",
  );
});

test("where only lanes in sight are looked at, that is said", () => {
  expect(describeDifferences([one, one], sight, true)).toBe(
    "2 of 2 lanes in view differ from now · 1 min of the visible time",
  );
  expect(describeDifferences([same], sight, true)).toBe("same as now in visible lanes");
});
