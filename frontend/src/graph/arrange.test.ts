import { expect, test } from "vitest";
import { arrange, inOrder, positions } from "./arrange";
import { wires } from "./document";
import { CIRR } from "./sample.testing";

test("every node lies right of its inputs, and no two at one place", () => {
  const places = arrange(CIRR);
  for (const { from, to } of wires(CIRR)) expect(places[to]?.[0]).toBeGreaterThan(places[from]?.[0] ?? NaN);
  expect(new Set(Object.values(places).map(String)).size).toBe(6);
});

test("a wire that passes a column leaves no node on its way", () => {
  const through = {
    a: { op: "x" },
    b: { op: "x", inputs: { of: "a" } },
    c: { op: "x", inputs: { of: ["a", "b"] } },
  };
  const places = arrange({ ...CIRR, nodes: through, layout: {} });
  expect(places.b?.[1]).not.toBe(places.a?.[1]);
});

test("a circle does not hang", () => {
  const circle = { a: { op: "x", inputs: { of: "b" } }, b: { op: "x", inputs: { of: "a" } } };
  expect(Object.keys(arrange({ ...CIRR, nodes: circle }))).toEqual(expect.arrayContaining(["a", "b"]));
});

test("places that the document names are kept", () => {
  expect(positions(CIRR).seeking).toEqual([0, 0]);
  expect(Object.keys(positions(CIRR))).toHaveLength(6);
});

test("in order, inputs come first", () => {
  const order = inOrder(CIRR);
  for (const { from, to } of wires(CIRR)) expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
});

test("a place that is none, or farther away than anybody looks, is not taken", () => {
  const layout = { ...arrange(CIRR), calm: [1e300, 0], seeking: ["x", 1] } as unknown as typeof CIRR.layout;
  const places = positions({ ...CIRR, layout });
  expect(Object.keys(places).sort()).toEqual(Object.keys(CIRR.nodes).sort());
  expect(
    Object.values(places)
      .flat()
      .every((one) => Math.abs(one) < 1e5),
  ).toBe(true);
});
