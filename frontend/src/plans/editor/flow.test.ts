import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OVER, perSecond, addTally, type Tally } from "./flow";

const SECOND = 1_000_000;
const after = (...told: [seconds: number, count: number][]): readonly Tally[] =>
  told.reduce<readonly Tally[]>((held, [at, count]) => addTally(held, at * SECOND, count), []);

describe("how fast revisions come", () => {
  test("is not known from one look", () => {
    expect(perSecond([], 5 * SECOND)).toBeNull();
    expect(perSecond(after([5, 1000]), 5 * SECOND)).toBeNull();
  });

  test("is a mean over the last ten seconds, and falls to nothing where none come", () => {
    const tallies = after([0, 0], [5, 50], [10, 100]);
    expect(perSecond(tallies, 10 * SECOND)).toBe(10);
    expect(perSecond(tallies, 15 * SECOND)).toBe(5);
    expect(perSecond(tallies, 20 * SECOND)).toBe(0);
  });

  test("begins anew where a node counts from the beginning again", () => {
    expect(perSecond(after([0, 500], [5, 700], [6, 0], [8, 4]), 8 * SECOND)).toBe(2);
  });

  test("is never negative, and no more tallies are kept than the span needs", () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: -9, max: 99 })));
    fc.assert(
      fc.property(steps, (all) => {
        let [at, count, held] = [0, 0, [] as readonly Tally[]];
        for (const [seconds, more] of all) {
          at += seconds * SECOND;
          count = Math.max(0, count + more);
          held = addTally(held, at, count);
          expect(perSecond(held, at) ?? 0).toBeGreaterThanOrEqual(0);
          expect(held.filter((tally) => tally.at <= at - OVER).length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
