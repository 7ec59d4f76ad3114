import { expect, test } from "vitest";
import type { KeyRow } from "../timechart/keyRows";
import { MAX_CHANGES, selectChanges } from "./changes";

const row = (key: string, ...changes: [number | null, string | null][]): KeyRow =>
  ({ key, birth: 0, leftOut: [], pieces: changes.map(([t, value]) => ({ t, value, slope: 0 })) }) as never;

test("changes of all keys are listed newest first, within the window and not beyond what is known", () => {
  const rows = [row("a", [null, null], [10, "play"], [30, "stop"]), row("b", [5, "play"], [30, "play"])];
  const listed = (start: number, until: number) =>
    selectChanges(rows, { start, end: 100 }, until).map(({ t, key, value }) => [t, key, value]);
  expect(listed(10, 40)).toEqual([
    [30, "a", "stop"],
    [30, "b", "play"],
    [10, "a", "play"],
  ]);
  expect(listed(0, 29)).toEqual([
    [10, "a", "play"],
    [5, "b", "play"],
  ]);
});

test("only the newest are listed of many", () => {
  const many = row("a", ...Array.from({ length: 500 }, (_, i): [number, string] => [i, String(i)]));
  const listed = selectChanges([many], { start: 0, end: 1000 }, 1000);
  expect(listed).toHaveLength(MAX_CHANGES);
  expect(listed[0]?.t).toBe(499);
});
