import { describe, expect, test } from "vitest";
import { contrast, DARK, fillOf, inkOn, LIGHT, Register, swatchOf } from "./colours";

describe("colours", () => {
  test("a value keeps its colour, also on another page and in another order", () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (k: string) => kept.get(k) ?? null,
      setItem: (k: string, v: string) => void kept.set(k, v),
    };
    const first = new Register(10, storage);
    const places = ["play", "buffer", "ended"].map((value) => first.place(value));
    const second = new Register(10, storage);
    expect(["ended", "buffer", "play"].map((value) => second.place(value))).toEqual(places.reverse());
  });

  test("different values have different colours while there are any", () => {
    const register = new Register(10, null);
    const places = Array.from({ length: 10 }, (_, i) => register.place(`value ${i}`));
    expect(new Set(places).size).toBe(10);
    expect(register.place("one more")).toBeLessThan(10);
  });

  test.each([LIGHT, DARK])(
    "the hatch of unknown is seen on its ground, and is no colour of false",
    (theme) => {
      expect(contrast(theme.unknown, theme.ground)).toBeGreaterThan(4.5);
      expect(contrast(theme.unknown, theme.no)).toBeGreaterThan(3);
      const register = new Register(theme.values.length, null);
      expect(swatchOf(null, theme, register)).toContain("repeating-linear-gradient");
      expect(swatchOf(false, theme, register)).toBe(theme.no);
    },
  );

  test.each([LIGHT, DARK])("true, false and unknown are told apart, and words can be read", (theme) => {
    const register = new Register(theme.values.length, null);
    const three = [true, false, null].map((value) => fillOf(value, theme, register));
    expect(new Set(three).size).toBe(3);
    for (const colour of [...theme.values, theme.yes, theme.no])
      expect(contrast(colour, inkOn(colour))).toBeGreaterThan(4.5);
  });
});
