import { describe, expect, test } from "vitest";
import { placeMenu } from "./menuStore";

describe("the place of a menu", () => {
  const page = { width: 1000, height: 600 };
  const size = { width: 200, height: 300 };

  test("is the point of the click, where there is room", () => {
    expect(placeMenu({ x: 40, y: 50 }, size, page)).toEqual({ left: 40, top: 50 });
  });

  test("is inside the page at its right and its lower edge", () => {
    expect(placeMenu({ x: 990, y: 590 }, size, page)).toEqual({ left: 792, top: 292 });
  });

  test("never leaves at the left or above, however small the page is", () => {
    expect(placeMenu({ x: 10, y: 10 }, size, { width: 100, height: 100 })).toEqual({ left: 8, top: 8 });
  });
});
