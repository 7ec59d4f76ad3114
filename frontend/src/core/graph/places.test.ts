import { expect, test } from "vitest";
import type { PlanDocument } from "../api/types";
import { arrange, computePositions } from "./arrange";
import { moveNodes } from "./edit";
import { RUNNING } from "./geometry";
import { omitKey } from "./records";
import { CIRR, OPERATORS } from "./sample.testing";

const PLACED = moveNodes(CIRR, arrange(CIRR, OPERATORS));

test("a node without a place lies right of its inputs, left of what reads it, and on no other; the rest stays", () => {
  const nodes = {
    ...PLACED.nodes,
    noisy: { op: "and", inputs: { of: ["calm", "fresh"] } },
    fresh: { op: "has_existed" },
    lone: { op: "has_existed" },
  };
  const places = computePositions({ ...PLACED, nodes }, OPERATORS);
  for (const [name, at] of Object.entries(PLACED.layout ?? {})) expect(places[name]).toEqual(at);
  const x = (name: string): number => places[name]?.[0] ?? NaN;
  expect(x("noisy")).toBeGreaterThan(x("calm"));
  expect(x("noisy")).toBeGreaterThan(x("fresh"));
  const all = Object.values(places);
  const apart = all.every(([a, b], i) =>
    all.slice(i + 1).every(([c, d]) => Math.abs(a - c) >= 224 || Math.abs(b - d) >= 104 + RUNNING),
  );
  expect(apart).toBe(true);
});

test("a plan without any places is laid out as a whole", () => {
  const bare = omitKey(CIRR, "layout") as PlanDocument;
  expect(computePositions(bare, OPERATORS)).toEqual(arrange(bare, OPERATORS));
});
