import ELK from "elkjs/lib/elk.bundled.js";
import { expect, test } from "vitest";
import type { PlanDocument } from "../api/types";
import { listWires } from "./document";
import { layOut } from "./elk";
import { heightOf, NODE_WIDTH, RUNNING } from "./geometry";
import { CIRR, OPERATORS } from "./sample.testing";

const elk = new ELK();
const place = async (names: string[] = []) => (await layOut(CIRR, names, OPERATORS, elk))(CIRR);

test("a node lies right of what it reads, and no two overlap, though they run", async () => {
  const { layout = {}, nodes } = await place();
  for (const { from, to } of listWires(CIRR))
    expect(layout[to]?.[0]).toBeGreaterThan((layout[from]?.[0] ?? 0) + NODE_WIDTH);
  const boxes = Object.entries(nodes).map(([name, { op }]) => ({
    at: layout[name] ?? [0, 0],
    high: heightOf(OPERATORS.get(op)) + RUNNING,
  }));
  for (const box of boxes)
    for (const other of boxes)
      if (box !== other)
        expect(
          Math.abs(box.at[0] - other.at[0]) >= NODE_WIDTH ||
            (box.at[1] <= other.at[1]
              ? other.at[1] - box.at[1] >= box.high
              : box.at[1] - other.at[1] >= other.high),
        ).toBe(true);
});

test("a part is laid out where it begins, and the rest stays", async () => {
  const start = await place();
  const part = (await layOut(start, ["calm", "induced"], OPERATORS, elk))(start);
  expect(part.layout?.state).toEqual(start.layout?.state);
  expect(Math.min(part.layout?.calm?.[0] ?? 0, part.layout?.induced?.[0] ?? 0)).toBe(start.layout?.calm?.[0]);
});

test("a node that went while the layout was made does not come back", async () => {
  const lay = await layOut(CIRR, [], OPERATORS, elk);
  const left = { ...CIRR, nodes: { state: CIRR.nodes.state as (typeof CIRR.nodes)[string] }, layout: {} };
  expect(Object.keys(lay(left).layout ?? {})).toEqual(["state"]);
});

test("a plan of hundreds of nodes is laid out as well, and the same again", { timeout: 60_000 }, async () => {
  const nodes: PlanDocument["nodes"] = { start: { op: "latest_event_to_state", stream: "player" } };
  for (let i = 0; i < 300; i += 1)
    nodes[`n${i}`] = { op: "not", inputs: { of: i < 9 ? "start" : `n${i - (i % 7) - 1}` } };
  const plan: PlanDocument = { version: 1, name: "Large", nodes, results: [] };
  const laid = (await layOut(plan, [], OPERATORS, elk))(plan);
  for (const { from, to } of listWires(plan))
    expect(laid.layout?.[to]?.[0]).toBeGreaterThan((laid.layout?.[from]?.[0] ?? 0) + NODE_WIDTH);
  expect((await layOut(plan, [], OPERATORS, elk))(plan).layout).toEqual(laid.layout);
});

test("parts that are not wired to each other lie beside each other, too", async () => {
  const pairs = Array.from({ length: 40 }, (_, i) => [`a${i}`, `b${i}`] as const);
  const nodes = Object.fromEntries(
    pairs.flatMap(([a, b]) => [
      [a, { op: "latest_event_to_state", stream: "player" }],
      [b, { op: "not", inputs: { of: a } }],
    ]),
  ) as PlanDocument["nodes"];
  const plan: PlanDocument = { version: 1, name: "Pairs", nodes, results: [] };
  const places = Object.values((await layOut(plan, [], OPERATORS, elk))(plan).layout ?? {});
  const size = (axis: 0 | 1): number => Math.max(...places.map((at) => at[axis] ?? 0));
  expect(size(0) / size(1)).toBeGreaterThan(0.8);
  expect(size(0) / size(1)).toBeLessThan(4);
});
