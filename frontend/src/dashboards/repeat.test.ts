import { describe, expect, test } from "vitest";
import type { Chart, Place } from "../core/api/dashboards";
import { overlap } from "./document";
import { repeatCharts } from "./repeat";

const chart = (id: string, place: Place, more: Partial<Chart> = {}): Chart => ({
  id,
  type: "number",
  plan: 1,
  node: "n",
  title: "",
  key: null,
  place,
  ...more,
});
const placesIn = (charts: readonly Chart[]) => Object.fromEntries(charts.map(({ id, place }) => [id, place]));

describe("a repeated chart", () => {
  const repeated = chart("c1", [0, 0, 4, 3], { repeat: true });

  test("has a copy for each selected key, and what is below makes room", () => {
    const drawn = repeatCharts([repeated, chart("c2", [0, 3, 12, 4])], () => ["a", "b", "c", "d", "e"]);
    expect(drawn.filter(({ id }) => id.startsWith("c1")).map(({ id, key }) => [id, key])).toEqual([
      ["c1", "a"],
      ["c1~1", "b"],
      ["c1~2", "c"],
      ["c1~3", "d"],
      ["c1~4", "e"],
    ]);
    expect(placesIn(drawn)).toEqual({
      c1: [0, 0, 4, 3],
      "c1~1": [4, 0, 4, 3],
      "c1~2": [8, 0, 4, 3],
      "c1~3": [0, 3, 4, 3],
      "c1~4": [4, 3, 4, 3],
      c2: [0, 6, 12, 4],
    });
  });

  test("does not cover the charts beside it", () => {
    const drawn = repeatCharts([repeated, chart("c2", [4, 0, 8, 3])], () => ["a", "b", "c", "d"]);
    for (const one of drawn)
      for (const other of drawn) if (one !== other) expect(overlap(one.place, other.place)).toBe(false);
  });

  test("stays one where nothing is selected, or its key is fixed", () => {
    const fixed = chart("c1", [0, 0, 4, 3], { repeat: true, key: "z" });
    expect(repeatCharts([repeated], () => [])).toEqual([repeated]);
    expect(repeatCharts([fixed], () => ["a", "b"])).toEqual([fixed]);
  });

  test("follows its own selection: groups or keys", () => {
    const groups = chart("c2", [0, 9, 12, 3], { repeat: true, type: "line" });
    const drawn = repeatCharts([repeated, groups], ({ id }) => (id === "c2" ? ["g", "h"] : ["a"]));
    expect(drawn.map(({ key }) => key)).toEqual(["a", "g", "h"]);
  });
});
