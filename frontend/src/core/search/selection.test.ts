import { expect, test } from "vitest";
import { describeSelection, NONE, partOf, keepExisting, toggleOne, toggleShown } from "./selection";

const SHOWN = ["a", "b", "c"];

test("one is chosen, and not any more", () => {
  const choice = toggleOne(NONE, "a", SHOWN);
  expect([...choice.ids]).toEqual(["a"]);
  expect(partOf(choice, SHOWN)).toBe("some");
  expect(toggleOne(choice, "a", SHOWN)).toEqual(NONE);
});

test("all that are shown are chosen at once, beside what was chosen before, and then none", () => {
  const all = toggleShown(toggleOne(NONE, "b", SHOWN), SHOWN);
  expect(partOf(all, SHOWN)).toBe("all");
  expect(partOf(toggleShown(all, SHOWN), SHOWN)).toBe("none");
});

test("one that is taken out of all that match leaves the others that are shown", () => {
  const left = toggleOne({ ids: new Set(), all: true }, "b", SHOWN);
  expect([left.all, [...left.ids]]).toEqual([false, ["a", "c"]]);
});

test("what has gone is chosen no more", () => {
  expect([...keepExisting({ ids: new Set(["a", "z"]), all: false }, SHOWN).ids]).toEqual(["a"]);
});

test("of nothing shown nothing is chosen", () => {
  expect([partOf(NONE, []), partOf({ ids: new Set(), all: true }, [])]).toEqual(["none", "none"]);
});

test.each([
  [NONE, ""],
  [{ ids: new Set(["a"]), all: false }, "1 plan selected"],
  [{ ids: new Set(SHOWN), all: false }, "3 plans selected"],
  [{ ids: new Set(["a"]), all: true }, "All matching plans selected"],
])("it is said what is chosen", (choice, words) => {
  expect(describeSelection(choice, "plans")).toBe(words);
});
