import { describe, expect, test } from "vitest";
import { findFarthestBehind, isOpenEnded, computeKnownUntil } from "./freshness";

const NOW = 1000;
const never = () => -Infinity;

describe("what is known", () => {
  test("goes on to now where nothing waits, though nothing happens", () => {
    const idle = { stoppedAt: null, behind: null };
    expect(computeKnownUntil(idle, () => 5, NOW)).toBe(NOW);
    expect(isOpenEnded(idle)).toBe(true);
  });

  test("ends where a node that is behind has seen", () => {
    const late = { stoppedAt: null, behind: { until: 700, words: "starting", late: true } };
    expect(computeKnownUntil(late, () => 900, NOW)).toBe(700);
    expect(computeKnownUntil(late, never, 600)).toBe(600);
    expect(isOpenEnded(late)).toBe(false);
  });

  test("is nothing of a node that has seen nothing", () => {
    expect(
      computeKnownUntil(
        { stoppedAt: null, behind: { until: null, words: "starting", late: true } },
        never,
        NOW,
      ),
    ).toBe(0);
  });

  test("ends where a node stopped, or at the newest that it tells of", () => {
    const stopped = { stoppedAt: 400, behind: null };
    expect(computeKnownUntil(stopped, never, NOW)).toBe(400);
    expect(computeKnownUntil(stopped, () => 450, NOW)).toBe(450);
    expect(isOpenEnded(stopped)).toBe(false);
  });
});

test("of many the one that is farthest behind counts", () => {
  const at = (until: number | null) => ({ behind: { until, words: String(until), late: true } });
  expect(findFarthestBehind([{ behind: null }])).toBeNull();
  expect(findFarthestBehind([at(5), { behind: null }, at(3)])?.until).toBe(3);
  expect(findFarthestBehind([at(5), at(null)])?.until).toBeNull();
});
