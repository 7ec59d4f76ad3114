import { expect, test } from "vitest";
import { newOne, targetOf } from "./target";

const kept = { id: 7, name: "Kept" };
const plain = { note: "", owner: "", tone: null };

test("a new dashboard is called what was typed", () => {
  const choice = newOne(' "Of lanes"', kept);
  expect(choice.title).toBe("New dashboard “Of lanes”");
  expect(targetOf(choice)).toEqual({ id: null, name: "Of lanes" });
});

test("a search by other words is no name", () => {
  expect(targetOf(newOne("owner:ada", kept))).toEqual({ id: null, name: "" });
});

test("whoever takes a new one again keeps the name that it has", () => {
  const held = { id: null, name: "Typed before" };
  expect(newOne("", held).title).toBe("New dashboard “Typed before”");
  expect(targetOf(newOne("", held))).toEqual(held);
  expect(targetOf(newOne("Another", held)).name).toBe("Another");
  expect(targetOf(newOne("", kept)).name).toBe("");
});

test("one that is there is taken by its number, whatever it is called", () => {
  expect(targetOf({ ...plain, id: "7", title: "new" })).toEqual({ id: 7, name: "new" });
});
