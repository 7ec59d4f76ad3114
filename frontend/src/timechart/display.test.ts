import { describe, expect, test } from "vitest";
import {
  COLOURS,
  chosenColour,
  formatNumber,
  labelOf,
  pruneDisplay,
  type ColourName,
  type Display,
} from "./display";
import { colourNamed, colourOf, DARK, hasSwatch, LIGHT, Register } from "./colours";
import { cutAtThresholds, lineColour } from "./numbers";

const plain = (value: number): string => `~${value}`;

describe("formats", () => {
  test.each<[number, Display, string]>([
    [0.7708, {}, "~0.7708"],
    [0.7708, { format: "percent" }, "77.1 %"],
    [1, { format: "percent", decimals: 2 }, "100.00 %"],
    [-0.05, { format: "percent", decimals: 0 }, "−5 %"],
    [1_234_567, { format: "bytes" }, "1.2 MB"],
    [1_234_567, { format: "bytes", decimals: 2 }, "1.23 MB"],
    [0, { format: "bytes" }, "0 bytes"],
    [3900, { format: "duration" }, "1 h 5 min"],
    [0, { format: "duration" }, "0 s"],
    [-90, { format: "duration" }, "−1 min 30 s"],
    [1234.5, { format: "currency", unit: "EUR" }, "€1,234.50"],
    [1234.5, { format: "currency", unit: "JPY", decimals: 0 }, "¥1,235"],
    [21.456, { unit: "°C", decimals: 1 }, "21.5 °C"],
    [21, { unit: "°C" }, "~21 °C"],
    [1234.5678, { format: "number" }, "1,234.568"],
  ])("%s as %j is %s", (value, display, words) => {
    expect(formatNumber(value, display, plain)).toBe(words);
  });
});

describe("chosen colours and labels", () => {
  const display: Display = {
    values: { degraded: { colour: "bad", label: "Slow" }, x: { colour: "indigo" } },
  };

  test("a choice stands before the guess, in both themes", () => {
    const register = new Register(10, ["degraded", "x", "y"], display);
    for (const theme of [LIGHT, DARK]) {
      expect(colourOf("degraded", theme, register)).toBe(theme.meanings.bad[0]);
      expect(colourOf("x", theme, register)).toBe(theme.values[0]);
      expect(colourOf("y", theme, register)).not.toBe(theme.values[0]);
    }
    expect(register.label("degraded")).toBe("Slow");
    expect(labelOf("y", display)).toBe("y");
  });

  test("another value is not given a colour that was chosen, whatever it would have", () => {
    for (const chosen of Object.keys(COLOURS) as ColourName[]) {
      const values = ["v", ...Array.from({ length: 9 }, (_, i) => `w${i}`)];
      const register = new Register(10, values, { values: { v: { colour: chosen } } });
      const others = values.slice(1).map((value) => colourOf(value, LIGHT, register));
      expect(others, chosen).not.toContain(colourNamed(chosen, LIGHT));
    }
  });

  test("words that objects have are values like others", () => {
    expect(labelOf("constructor", display)).toBe("constructor");
    expect(chosenColour("toString", display)).toBeNull();
  });

  test("bools have labels and colours too", () => {
    const open: Display = { values: { true: { label: "open", colour: "warning" } } };
    const register = new Register(10, [], open);
    expect(register.label(true)).toBe("open");
    expect(colourOf(true, LIGHT, register)).toBe(LIGHT.meanings.warning[0]);
    expect(colourOf(false, LIGHT, register)).toBe(LIGHT.no);
  });

  test("what says nothing is not kept", () => {
    expect(pruneDisplay({ values: { a: { label: " " }, b: {} }, thresholds: [], unit: "" })).toBeNull();
    expect(pruneDisplay({ values: { a: { label: " A " } }, decimals: 0 })).toEqual({
      values: { a: { label: "A" } },
      decimals: 0,
    });
  });
});

describe("thresholds", () => {
  const display: Display = {
    thresholds: [
      { start: 10, colour: "warning" },
      { start: 20, colour: "bad" },
    ],
  };
  const span = {
    start: 0,
    end: 30,
    from: 0,
    to: 30,
    value: 0,
    endValue: 30,
    slope: 1,
    provisional: false,
    strength: 1,
  };

  test("a number has the colour of the greatest threshold that it has reached", () => {
    expect([9, 10, 19.9, 20].map((value) => chosenColour(value, display))).toEqual([
      null,
      "warning",
      "warning",
      "bad",
    ]);
    expect(hasSwatch("number", 9, display)).toBe(false);
    expect(hasSwatch("number", 10, display)).toBe(true);
  });

  test("a climbing line is cut where it passes them, up or down", () => {
    const up = cutAtThresholds([span], display.thresholds ?? []);
    expect(up.map(({ start, end }) => [start, end])).toEqual([
      [0, 10],
      [10, 20],
      [20, 30],
    ]);
    expect(up.map((one) => lineColour(one, LIGHT, display))).toEqual([
      LIGHT.line,
      LIGHT.meanings.warning[0],
      LIGHT.meanings.bad[0],
    ]);
    const down = cutAtThresholds([{ ...span, value: 30, endValue: 0 }], display.thresholds ?? []);
    expect(down.map(({ value, endValue }) => [value, endValue])).toEqual([
      [30, 20],
      [20, 10],
      [10, 0],
    ]);
  });

  test("a steady number on a threshold has its colour", () => {
    expect(lineColour({ ...span, value: 20, endValue: 20 }, LIGHT, display)).toBe(LIGHT.meanings.bad[0]);
  });
});
