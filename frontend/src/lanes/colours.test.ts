import { describe, expect, test } from "vitest";
import { contrast, DARK, fillOf, inkOn, LIGHT, Register, swatchOf } from "./colours";

describe("colours", () => {
  const words = ["play", "buffer", "ended", "pause", "seek", "stalled"];

  test("a value has the same colour for everybody, in whatever order a chart meets them", () => {
    const places = words.map((one) => new Register(10, words).place(one));
    expect(words.map((one) => new Register(10, words.toReversed()).place(one))).toEqual(places);
    expect(new Set(places).size).toBe(words.length);
  });

  test("its colour is its own in every chart, unless another of that chart wants the same", () => {
    const own = new Map(words.map((one) => [one, new Register(10).place(one)]));
    const moved = words.filter((one) => new Register(10, words).place(one) !== own.get(one));
    expect(moved.length).toBe(words.length - new Set(own.values()).size);
    for (const one of words) expect(new Register(10, [one]).place(one)).toBe(own.get(one));
  });

  test("different values have different colours while there are any", () => {
    const ten = Array.from({ length: 10 }, (_, i) => `value ${i}`);
    const register = new Register(10, [...ten, true, null, 5]);
    expect(new Set(ten.map((one) => register.place(one))).size).toBe(10);
    expect(new Register(10, [...ten, "one more"]).place("one more")).toBeLessThan(10);
  });

  test.each([LIGHT, DARK])(
    "the hatch of unknown is seen on its ground, and is no colour of false",
    (theme) => {
      expect(contrast(theme.unknown, theme.ground)).toBeGreaterThan(4.5);
      expect(contrast(theme.unknown, theme.no)).toBeGreaterThan(3);
      const register = new Register(theme.values.length);
      expect(swatchOf(null, theme, register)).toContain("repeating-linear-gradient");
      expect(swatchOf(false, theme, register)).toBe(theme.no);
    },
  );

  test.each([LIGHT, DARK])("true, false and unknown are told apart, and words can be read", (theme) => {
    const register = new Register(theme.values.length);
    const three = [true, false, null].map((value) => fillOf(value, theme, register));
    expect(new Set(three).size).toBe(3);
    for (const colour of [...theme.values, theme.yes, theme.no])
      expect(contrast(colour, inkOn(colour))).toBeGreaterThan(4.5);
  });
});
