import { expect, test } from "vitest";
import { areSame } from "./useTarget";

const box = (left: number) => ({ left, top: 0, width: 10, height: 10 });

test("the words are placed anew where anything that they spare moves, comes or goes", () => {
  expect(areSame([box(0), box(20)], [box(0), box(20)])).toBe(true);
  expect(areSame([box(0), box(20)], [box(0), box(21)])).toBe(false);
  expect(areSame([box(0)], [box(0), box(20)])).toBe(false);
  expect(areSame([box(0), box(20)], [box(0)])).toBe(false);
});
