import { expect, test } from "vitest";
import { arrange, sortTopologically, computePositions } from "./arrange";
import { listWires } from "./document";
import { heightOf, RUNNING } from "./geometry";
import { CIRR, operatorOf, OPERATORS } from "./sample.testing";

test("every node lies right of its inputs, and no two at one place", () => {
  const places = arrange(CIRR, OPERATORS);
  for (const { from, to } of listWires(CIRR))
    expect(places[to]?.[0]).toBeGreaterThan(places[from]?.[0] ?? NaN);
  expect(new Set(Object.values(places).map(String)).size).toBe(6);
});

test("a wire that passes a column leaves no node on its way", () => {
  const through = {
    a: { op: "x" },
    b: { op: "x", inputs: { of: "a" } },
    c: { op: "x", inputs: { of: ["a", "b"] } },
  };
  const places = arrange({ ...CIRR, nodes: through, layout: {} }, OPERATORS);
  expect(places.b?.[1]).not.toBe(places.a?.[1]);
});

test("a circle does not hang", () => {
  const circle = { a: { op: "x", inputs: { of: "b" } }, b: { op: "x", inputs: { of: "a" } } };
  expect(Object.keys(arrange({ ...CIRR, nodes: circle }, OPERATORS))).toEqual(
    expect.arrayContaining(["a", "b"]),
  );
});

test("places that the document names are kept", () => {
  expect(computePositions(CIRR, OPERATORS).seeking).toEqual([0, 0]);
  expect(Object.keys(computePositions(CIRR, OPERATORS))).toHaveLength(6);
});

test("in order, inputs come first", () => {
  const order = sortTopologically(CIRR);
  for (const { from, to } of listWires(CIRR)) expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
});

test("a place that is none, or farther away than anybody looks, is not taken", () => {
  const layout = {
    ...arrange(CIRR, OPERATORS),
    calm: [1e300, 0],
    seeking: ["x", 1],
  } as unknown as typeof CIRR.layout;
  const places = computePositions({ ...CIRR, layout }, OPERATORS);
  expect(Object.keys(places).sort()).toEqual(Object.keys(CIRR.nodes).sort());
  expect(
    Object.values(places)
      .flat()
      .every((one) => Math.abs(one) < 1e5),
  ).toBe(true);
});

test("in plain columns, too, a node of many ports that runs has room above the next one", () => {
  const tall = operatorOf("tall", ["a", "b", "c", "d", "e", "f"]);
  const nodes = { one: { op: "tall" }, two: { op: "tall" }, three: { op: "tall" } };
  const plan = { ...CIRR, nodes, layout: {} };
  const operators = new Map([...OPERATORS, ["tall", tall]]);
  const high = heightOf(tall) + RUNNING;
  for (const places of [
    arrange(plan, operators),
    computePositions({ ...plan, layout: { one: [0, 0] } }, operators),
  ]) {
    const all = Object.values(places).toSorted(([, a], [, b]) => a - b);
    all.slice(1).forEach(([, y], i) => expect(y - (all[i]?.[1] ?? 0)).toBeGreaterThan(high));
  }
});
