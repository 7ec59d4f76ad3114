import fc from "fast-check";
import type { OutputKind } from "../core/api/types";
import { describe, expect, test } from "vitest";
import type { Chart, ChartType } from "../core/api/dashboards";
import {
  addChart,
  changeChart,
  COLUMNS,
  DECLARED,
  defaultType,
  EMPTY,
  placeCharts,
  refusesNode,
  removeChart,
  sized,
  TYPES,
} from "./document";
import { nudgeChart, stretchChart } from "./grid";

const draft = (type: ChartType) => ({ type, plan: 1, node: "n", title: "", key: null, place: sized(type) });

function overlaps(charts: readonly Chart[]): boolean {
  return charts.some(({ id, place: [x, y, w, h] }) =>
    charts.some(
      ({ id: other, place: [u, v, k, l] }) =>
        other !== id && x < u + k && u < x + w && y < v + l && v < y + h,
    ),
  );
}

const fits = ({ type, place: [x, y, w, h] }: Chart): boolean =>
  x >= 0 && y >= 0 && x + w <= COLUMNS && w >= DECLARED[type].least[0] && h >= DECLARED[type].least[1];

const of = (kind: OutputKind) => ({ kind, operator: "aggregate" });

const board = (...types: ChartType[]) =>
  types.reduce((document, type) => addChart(document, draft(type)), EMPTY);

describe("charts", () => {
  test.each([
    ["bool", "equal_to", false, "lane"],
    ["text", "aggregate", true, "lane"],
    ["number", "event_count", false, "line"],
    ["ratio", "aggregate", true, "lines"],
    ["text", "sequence", false, "funnel"],
  ] as const)("of %s by %s (of groups: %s) are proposed as a %s", (kind, operator, hasGroups, type) => {
    expect(defaultType({ kind, operator }, hasGroups)).toBe(type);
    expect(refusesNode(type, { kind, operator })).toBeNull();
  });

  test("of a sequence only show a sequence", () => {
    expect(refusesNode("funnel", { kind: "text", operator: "latest_event_to_state" })).toBe(
      "needs a sequence",
    );
    expect(refusesNode("lane", { kind: "text", operator: "sequence" })).toBeNull();
  });

  test("are added where there is room, each with its own id", () => {
    const { charts } = board("line", "line", "lane", "number");
    expect(charts.map((chart) => chart.id)).toEqual(["c1", "c2", "c3", "c4"]);
    expect(charts[1]?.place).toEqual([6, 0, 6, 6]);
    expect(overlaps(charts)).toBe(false);
  });

  test("are changed and removed by their id", () => {
    const changed = changeChart(board("line", "lane"), "c2", { title: "Mine" });
    expect(changed.charts.map((chart) => chart.title)).toEqual(["", "Mine"]);
    expect(removeChart(changed, "c1").charts.map((chart) => chart.id)).toEqual(["c2"]);
    expect(addChart(removeChart(changed, "c1"), draft("lane")).charts.map((chart) => chart.id)).toEqual([
      "c2",
      "c1",
    ]);
  });

  test("that did not move leave the document as it is", () => {
    const document = board("line", "lane");
    expect(placeCharts(document, new Map(document.charts.map((chart) => [chart.id, chart.place])))).toBe(
      document,
    );
  });

  test("of numbers refuse states, and say so", () => {
    expect(refusesNode("line", of("text"))).toContain("needs a number");
    expect(refusesNode("stack", of("bool"))).not.toBeNull();
    expect(refusesNode("lane", of("text"))).toBeNull();
    expect(refusesNode("line", of("ratio"))).toBeNull();
  });
});

describe("arranging by keyboard", () => {
  test("moves past what stands below, and back", () => {
    const document = board("lane", "lane");
    const down = placeCharts(document, nudgeChart(document.charts, "c1", 0, 1));
    expect(down.charts.map((chart) => chart.place[1])).toEqual([3, 0]);
    const up = placeCharts(down, nudgeChart(down.charts, "c1", 0, -3));
    expect(up.charts.map((chart) => chart.place[1])).toEqual([0, 3]);
  });

  test("moves aside and resizes within the grid", () => {
    const document = board("number");
    const right = placeCharts(document, nudgeChart(document.charts, "c1", 1, 0));
    expect(right.charts[0]?.place).toEqual([1, 0, 3, 3]);
    const wide = placeCharts(right, stretchChart(right.charts, "c1", 99, 2));
    expect(wide.charts[0]?.place).toEqual([1, 0, 11, 5]);
    expect(placeCharts(wide, stretchChart(wide.charts, "c1", -99, -99)).charts[0]?.place).toEqual([
      1, 0, 2, 2,
    ]);
  });

  test("never lets charts overlap or leave the grid, whatever is done", () => {
    const step = fc.tuple(
      fc.nat(4),
      fc.integer({ min: -3, max: 3 }),
      fc.integer({ min: -3, max: 3 }),
      fc.boolean(),
    );
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 5 }),
        fc.array(step),
        (types, steps) => {
          let document = board(...types);
          for (const [which, dx, dy, resize] of steps) {
            const id = document.charts[which % document.charts.length]?.id ?? "";
            const way = resize ? stretchChart : nudgeChart;
            document = placeCharts(document, way(document.charts, id, dx, dy));
            expect(overlaps(document.charts)).toBe(false);
            expect(document.charts.every(fits)).toBe(true);
          }
        },
      ),
    );
  });
});
