import { describe, expect, it } from "vitest";
import { applyRevision, parsePieces, normalise, valueAt } from "./pieces";
import { EMPTY, toWire } from "./lane";
import { buildSpans } from "./spans";

const S = 1_000_000;
const half = parsePieces([
  [null, null, 0, null, 0],
  [0, 0, 1, 4, 0],
  [2 * S, 2, 0, 4, 2],
]);

describe("a ratio of two lines", () => {
  it("is the quotient at every instant", () => {
    const [unknown, climbing, falling] = half;
    expect(unknown && valueAt(unknown, S)).toBeNull();
    expect(climbing && valueAt(climbing, S)).toBe(0.25);
    expect(falling && valueAt(falling, 4 * S)).toBe(0.25);
  });

  it("keeps both lines where a revision cuts it", () => {
    const revision = { start: S, end: 1.5 * S, pieces: parsePieces([[S, 3, 0, 4, 0]]) };
    const [, before, inside, after] = applyRevision(half, revision);
    expect(before).toEqual({ t: 0, value: 0, slope: 1, den: { value: 4, slope: 0 } });
    expect(inside?.value).toBe(3);
    expect(after).toEqual({ t: 1.5 * S, value: 1.5, slope: 1, den: { value: 4, slope: 0 } });
  });

  it("is drawn as a curve, and goes back on the wire whole", () => {
    const seen = buildSpans(half, { start: 2 * S, end: 4 * S }, 4 * S, null);
    expect(seen.length).toBeGreaterThan(20);
    expect(seen[0]?.value).toBe(0.5);
    expect(seen.at(-1)?.endValue).toBe(0.25);
    expect(toWire({ ...EMPTY, kind: "number", pieces: normalise(half) })[1]).toEqual([0, 0, 1, 4, 0]);
  });
});
