import { expect, test } from "vitest";
import { spellField } from "./words";

test("a path needs no backquotes, what is no path does", () => {
  for (const name of ["state", "ctx.device.os", "items[0].sku", "a[0][1].b-c"])
    expect(spellField(name)).toBe(name);
  for (const name of ["a b", "items[x]", "[0]", "a.", "not"]) expect(spellField(name)).toBe(`\`${name}\``);
});
