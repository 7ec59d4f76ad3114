import { expect, test } from "vitest";
import { fits } from "./search";

const ann = { username: "Ann" } as Parameters<typeof fits>[2];
const plan = { name: "Card in two suburbs", owner: "ann" };

test.each([
  ["", true],
  ["suburbs card", true],
  ["SUBURBS", true],
  ["machine", false],
  ["owner:me", true],
  ["owner:Ann card", true],
  ["owner:bob", false],
  ["owner:me machine", false],
])("%j finds by words of the name and by owner: %s", (search, found) => {
  expect(fits(plan, search, ann)).toBe(found);
});

test("nothing is one's own before it is known who one is", () => {
  expect(fits(plan, "owner:me", null)).toBe(false);
});
