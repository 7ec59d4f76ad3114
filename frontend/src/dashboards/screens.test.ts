import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compactor, GAP, screensOf } from "./grid";
import { rowHeight } from "./screens";

const item = (i: string, x: number, y: number, w: number, h: number) => ({ i, x, y, w, h });
/** The rows that are legible in a kiosk at these heights of the window, below its head. */
const LEGIBLE = [800, 900, 1080].map((height) => Math.floor((height - 88 + GAP) / 40));

const boards = fc
  .array(
    fc.record({ x: fc.nat(9), w: fc.integer({ min: 3, max: 12 }), h: fc.integer({ min: 2, max: 12 }) }),
    {
      minLength: 1,
      maxLength: 14,
    },
  )
  .map((all) => {
    const drawn = all.map(({ x, w, h }, i) => item(`c${i}`, Math.min(x, 12 - w), i * 12, w, h));
    return [...compactor.compact(drawn, 12)];
  });

describe("the screens of a wall", () => {
  test("are one where all of it is legible on one", () => {
    const board = [item("a", 0, 0, 6, 6), item("b", 6, 0, 6, 6), item("c", 0, 6, 12, 8)];
    expect(screensOf(board, 14)).toEqual([board]);
  });

  test("are several where it is not, cut between charts, and each begins at its top", () => {
    const board = [
      item("a", 0, 0, 6, 6),
      item("b", 6, 0, 6, 8),
      item("c", 0, 8, 12, 8),
      item("d", 0, 16, 4, 4),
    ];
    expect(screensOf(board, 12)).toEqual([
      [item("a", 0, 0, 6, 6), item("b", 6, 0, 6, 8)],
      [item("c", 0, 0, 12, 8), item("d", 0, 8, 4, 4)],
    ]);
  });

  test("show every chart once and whole, whatever the dashboard and the screen", () => {
    fc.assert(
      fc.property(
        boards,
        fc.constantFrom(...LEGIBLE),
        fc.constantFrom(712, 812, 992),
        (board, most, height) => {
          const screens = screensOf(board, most);
          expect(
            screens
              .flat()
              .map(({ i }) => i)
              .sort(),
          ).toEqual(board.map(({ i }) => i).sort());
          for (const layoutItems of screens) {
            const high = rowHeight(layoutItems, height);
            const bottom = Math.max(...layoutItems.map(({ y, h }) => (y + h) * (high + GAP) - GAP));
            expect(bottom).toBeLessThanOrEqual(height);
          }
        },
      ),
    );
  });
});
