import ELK from "elkjs/lib/elk.bundled.js";
import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../api/types";
import { layOut } from "./elk";
import { findWireLane, findWireLanes, buildWirePath } from "./route";
import { OPERATORS } from "./sample.testing";

const box = (id: string, x: number, y: number) => ({ id, x, y, width: 224, height: 104 });

describe("a wire", () => {
  test("goes straight where nothing lies in between", () => {
    expect(findWireLane([0, 0], [600, 40], [box("aside", 200, 200)], [])).toBeNull();
  });

  test("goes around a node in between, the shorter way", () => {
    const lane = findWireLane([0, 0], [600, 0], [box("between", 200, -80)], []);
    expect(lane).toEqual({ y: 40, from: 72, to: 528 });
  });

  test("leaves the lane to another that has it", () => {
    const between = [box("between", 200, -80)];
    const first = findWireLane([0, 0], [600, 0], between, []);
    const second = findWireLane([0, 0], [600, 0], between, first ? [first] : []);
    expect(Math.abs((second?.y ?? 0) - (first?.y ?? 0))).toBeGreaterThanOrEqual(8);
  });

  test("begins and ends at its ports", () => {
    const path = buildWirePath([0, 0], [600, 8], { y: 40, from: 72, to: 528 });
    expect(path.startsWith("M0,0 C")).toBe(true);
    expect(path.endsWith(" 600,8")).toBe(true);
  });
});

/** A plan in which many wires pass several columns. */
function tangled(size: number, seed: number): PlanDocument {
  let state = seed;
  const next = (n: number): number => {
    state = (state * 16807) % 2147483647;
    return state % n;
  };
  const nodes: PlanDocument["nodes"] = {};
  for (let i = 0; i < size; i += 1) {
    const from = () => `n${next(i)}`;
    if (i < 3) nodes[`n${i}`] = { op: "latest_event_to_state" };
    else if (next(2) === 0) nodes[`n${i}`] = { op: "not", inputs: { of: from() } };
    else nodes[`n${i}`] = { op: "and", inputs: { of: [...new Set([from(), from(), from()])] } };
  }
  return { version: 1, name: "Tangled", nodes, results: [] };
}

// ELK takes seconds where the machine is busy.
const PATIENCE = 60_000;

test.each([6, 9, 12, 20, 40])(
  "no wire of a layout of %i nodes leads behind a node",
  { timeout: PATIENCE },
  async (size) => {
    const elk = new ELK();
    for (const seed of [77, 154, 231]) {
      const plan = tangled(size, seed);
      const laid = (await layOut(plan, [], OPERATORS, elk))(plan);
      const drawn = { document: laid, places: laid.layout ?? {}, operators: OPERATORS, more: () => 0 };
      const wireLanes = findWireLanes(drawn, ({ from, to, port }) => `${from}>${to}.${port}`);
      expect(behind(laid, wireLanes)).toEqual([]);
    }
  },
);

/** Sampled apart from the code above: every wire as it is drawn, and the nodes that it passes behind. */
function behind(plan: PlanDocument, found: ReturnType<typeof findWireLanes>): string[] {
  const places = plan.layout ?? {};
  const mix = (a: number, b: number, c: number, d: number, t: number): number =>
    a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t ** 2 * (1 - t) + d * t ** 3;
  return Object.entries(plan.nodes).flatMap(([to, node]) =>
    [node.inputs?.of ?? []].flat().flatMap((from) => {
      const [x, y] = [(places[from]?.[0] ?? 0) + 224, (places[from]?.[1] ?? 0) + 85];
      const [a, b] = [places[to]?.[0] ?? 0, (places[to]?.[1] ?? 0) + 85];
      const lane = found.get(`${from}>${to}.of`);
      const curve = (x0: number, y0: number, x1: number, y1: number): [number, number][] =>
        Array.from({ length: 200 }, (_, i) => [
          mix(x0, (x0 + x1) / 2, (x0 + x1) / 2, x1, i / 199),
          mix(y0, y0, y1, y1, i / 199),
        ]);
      const line = (lane ? Array.from({ length: 400 }, (_, i) => i / 399) : []).map((t): [number, number] => [
        (lane?.from ?? 0) + t * ((lane?.to ?? 0) - (lane?.from ?? 0)),
        lane?.y ?? 0,
      ]);
      const all = lane
        ? [...curve(x, y, lane.from, lane.y), ...line, ...curve(lane.to, lane.y, a, b)]
        : curve(x, y, a, b);
      return Object.keys(plan.nodes)
        .filter((name) => name !== from && name !== to)
        .filter((name) => {
          const [left, top] = places[name] ?? [0, 0];
          return all.some(([p, q]) => p > left + 6 && p < left + 218 && q > top + 6 && q < top + 96);
        })
        .map((name) => `${from} > ${to} behind ${name}`);
    }),
  );
}
