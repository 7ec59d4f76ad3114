import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../api/types";
import { heightOf, LINE, RUNNING, STATUS, STRIP } from "./geometry";
import { selectFit, measureFreeSpace } from "./freeSpace";
import { CIRR, OPERATORS } from "./sample.testing";

const HIGH = heightOf(OPERATORS.get("not"));
const GAP = 8;
const plan = (rest: Partial<PlanDocument> = {}): PlanDocument => ({
  version: 1,
  name: "",
  nodes: { a: { op: "not" }, b: { op: "not" } },
  ...rest,
});
const roomOf = (document: PlanDocument, places: Record<string, [number, number]>) =>
  measureFreeSpace(document, places, OPERATORS).get("a");

describe("what a running node says", () => {
  test("never reaches what lies below it, however near that was drawn", () => {
    for (let apart = 0; apart <= 200; apart += 1) {
      const room = roomOf(plan(), { a: [0, 0], b: [100, HIGH + apart] }) ?? 0;
      const { strip, lines } = selectFit(room);
      const said = (strip ? STRIP : 0) + (lines > 0 ? STATUS + lines * LINE : 0);
      expect(said === 0 || said <= apart - GAP).toBe(true);
    }
  });

  test("is all of it in the room that a layout leaves", () => {
    expect(selectFit(RUNNING)).toEqual({ strip: true, lines: 3 });
  });

  test("is its state before its strip", () => {
    expect(selectFit(STATUS + LINE)).toEqual({ strip: false, lines: 1 });
    expect(selectFit(STRIP + STATUS + LINE)).toEqual({ strip: true, lines: 1 });
    expect(selectFit(STATUS + LINE - 1)).toEqual({ strip: false, lines: 0 });
  });

  test("has all room where nothing lies below: beside it, above it, or farther to the side", () => {
    for (const b of [
      [232, 0],
      [0, -HIGH - 1],
      [224, HIGH],
    ] as const)
      expect(roomOf(plan(), { a: [0, 0], b: [...b] })).toBe(Infinity);
  });

  test("has none where the nodes overlap already", () => {
    expect(roomOf(plan(), { a: [0, 0], b: [10, 20] })).toBe(0);
    expect(roomOf(plan(), { a: [0, 0], b: [0, 0] })).toBe(0);
  });

  test("ends above a comment, and above the title of another group", () => {
    const places: Record<string, [number, number]> = { a: [0, 0], b: [0, HIGH + 100] };
    const comments = [{ text: "Look", at: [0, HIGH + 40] as [number, number] }];
    expect(roomOf(plan({ comments }), places)).toBe(40 - GAP);
    expect(roomOf(plan({ groups: [{ title: "Two", nodes: ["b"] }] }), places)).toBe(100 - 48 - GAP);
    expect(roomOf(plan({ groups: [{ title: "Both", nodes: ["a", "b"] }] }), places)).toBe(100 - GAP);
  });

  test("is told for every node of a plan", () => {
    const places = Object.fromEntries(Object.keys(CIRR.nodes).map((name, i) => [name, [i * 300, 0]]));
    expect(measureFreeSpace(CIRR, places as Record<string, [number, number]>, OPERATORS).size).toBe(6);
  });
});
