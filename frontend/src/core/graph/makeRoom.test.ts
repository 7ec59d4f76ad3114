import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../api/types";
import { withRoom } from "./makeRoom";
import { moveNodes } from "./edit";
import type { Position } from "./position";
import { NODE_WIDTH, roomyHeight } from "./geometry";
import { GAP, WIRE_GAP } from "./places";
import { OPERATORS } from "./sample.testing";

const PLAN: PlanDocument = {
  version: 1,
  name: "",
  nodes: {
    a: { op: "not" },
    new: { op: "not", inputs: { of: "a" } },
    b: { op: "not", inputs: { of: "new" } },
    c: { op: "not", inputs: { of: "b" } },
    aside: { op: "not" },
  },
  layout: { a: [0, 0], b: [288, 0], c: [576, 0], aside: [200, 400] },
};
const put = (at: Position, layout: PlanDocument["layout"] = PLAN.layout): PlanDocument["layout"] =>
  withRoom(moveNodes({ ...PLAN, layout }, { new: at }), "new", { from: "a", to: "b" }, OPERATORS).layout;

/** Pairs of nodes between which no wire could be read. */
function tooNear(layout: PlanDocument["layout"]): string[] {
  const high = roomyHeight({ op: "not" }, OPERATORS);
  const all = Object.entries(layout ?? {});
  return all.flatMap(([one, [a, b]]) =>
    all.flatMap(([other, [c, d]]) => {
      const isNear = Math.abs(a - c) < NODE_WIDTH + WIRE_GAP && Math.abs(b - d) < high + GAP;
      return one < other && isNear ? [`${one} ${other}`] : [];
    }),
  );
}

describe("a node that is put into a wire", () => {
  test("wherever it is let go, stands where both of its wires can be read", () => {
    for (const x of [-100, 6, 144, 288, 300, 700])
      for (const y of [-40, 0, 12]) expect(tooNear(put([x, y])), `${x} ${y}`).toEqual([]);
  });

  test("moves what begins at its reader just as far as it must, and nothing else", () => {
    expect(put([144, 0])).toEqual({ a: [0, 0], new: [288, 0], b: [576, 0], c: [864, 0], aside: [200, 400] });
    expect(put([290, 8], { ...PLAN.layout, b: [600, 0], c: [900, 0] })).toMatchObject({
      new: [290, 8],
      b: [600, 0],
    });
  });

  test("moves nothing else where the wire leads back, or down", () => {
    expect(put([20, 300], { ...PLAN.layout, b: [0, 600], c: [-288, 600] })).toMatchObject({
      a: [0, 0],
      b: [0, 600],
      c: [-288, 600],
    });
  });
});
