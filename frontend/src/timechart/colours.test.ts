import { describe, expect, test } from "vitest";
import { colourOf, contrast, DARK, fillOf, inkOn, LIGHT, Register, swatchOf } from "./colours";
import { MEANINGS } from "./meanings";

type Rgb = [number, number, number];

/** Linear light of a colour. */
function linear(hex: string): Rgb {
  return [1, 3, 5].map((i) => {
    const share = parseInt(hex.slice(i, i + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
}

const times = (matrix: readonly Rgb[], [r, g, b]: Rgb): Rgb =>
  matrix.map(([x, y, z]) => x * r + y * g + z * b) as Rgb;

/** What eyes see of linear light: all of it, or without red or green cones (Machado, Oliveira, Fernandes 2009). */
const EYES: Readonly<Record<string, readonly Rgb[]>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

/** Björn Ottosson's OKLab, in which distances are those that eyes see. */
function oklab(light: Rgb): Rgb {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    light,
  ).map(Math.cbrt) as Rgb;
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

function distance(a: string, b: string, eyes: readonly Rgb[]): number {
  const [x, y] = [a, b].map((one) => oklab(times(eyes, linear(one)))) as [Rgb, Rgb];
  return Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

describe("colours", () => {
  const words = ["play", "buffer", "ended", "pause", "seek", "stalled", "CDN1", "CDN2"];
  const colours = (values: readonly string[], register: Register): string[] =>
    values.map((one) => colourOf(one, LIGHT, register));

  test("a value has the same colour for everybody, in whatever order a chart meets them", () => {
    const some = colours(words, new Register(10, words));
    expect(colours(words, new Register(10, words.toReversed()))).toEqual(some);
    expect(new Set(some).size).toBe(words.length);
  });

  test("its colour is its own in every chart, unless another of that chart wants the same", () => {
    const own = colours(words, new Register(10));
    const moved = colours(words, new Register(10, words)).filter((one, i) => one !== own[i]);
    expect(moved.length).toBe(words.length - new Set(own).size);
    for (const [i, one] of words.entries()) expect(colours([one], new Register(10, [one]))).toEqual([own[i]]);
  });

  test("different values have different colours while there are any", () => {
    const ten = Array.from({ length: 10 }, (_, i) => `value ${i}`);
    const register = new Register(10, [...ten, "ok", true, null, 5]);
    expect(new Set(ten.map((one) => register.place(one))).size).toBe(10);
    expect(new Register(10, [...ten, "one more"]).place("one more")).toBeLessThan(10);
  });

  test.each([LIGHT, DARK])("what fails is red, what is well is green, and both have shades", (theme) => {
    const some = ["failed", "error", "ok", "running", "stopped"];
    const register = new Register(10, some);
    const [failed, error, ok, running, stopped] = some.map((one) => colourOf(one, theme, register));
    expect(theme.meanings.bad).toContain(failed);
    expect(theme.meanings.bad).toContain(error);
    expect(failed).not.toBe(error);
    expect(ok).toBe(theme.meanings.good[0]);
    expect(running).toBe(theme.meanings.running[0]);
    expect(stopped).toBe(theme.meanings.stopped[0]);
  });

  const looks = [
    ["light", LIGHT],
    ["dark", DARK],
  ] as const;
  const seen = looks.flatMap(([look, theme]) =>
    Object.keys(EYES).map((eyes) => [look, eyes, theme] as const),
  );

  test.each(seen)("in %s the meanings are told apart by eyes that are %s", (_look, eyes, theme) => {
    const some = MEANINGS.map((one) => theme.meanings[one][0] ?? "");
    const pairs = some.flatMap((a, i) => some.slice(i + 1).map((b) => distance(a, b, EYES[eyes] ?? [])));
    expect(Math.min(...pairs)).toBeGreaterThan(0.1);
  });

  test.each(looks)("in %s a value without a meaning is not taken for red or green", (_look, theme) => {
    for (const meaning of ["good", "bad"] as const)
      for (const shade of theme.meanings[meaning])
        for (const colour of theme.values) {
          expect(distance(shade, colour, EYES.all ?? []), `${shade} ${colour}`).toBeGreaterThan(0.05);
        }
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
    for (const colour of [...theme.values, ...Object.values(theme.meanings).flat(), theme.yes, theme.no])
      expect(contrast(colour, inkOn(colour))).toBeGreaterThan(4.5);
  });
});
