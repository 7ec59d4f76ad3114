import { expect, test } from "vitest";
import { codeBefore } from "./call";

test.each([
  ['f("a(", x', 'f("  _, x'],
  ['"\\"(" (', '"   _ ('],
  ["# all of it", null],
  ['f("open (', null],
  ["it's (", null],
  ["`a b` + (", "`   _ + ("],
  ["`open", "`open"],
  ['"open\nf(', '"open\nf('],
])("%s before a place is code %s", (text, code) => {
  expect(codeBefore(text)).toBe(code);
});

test("a long quotation that is not closed is seen at once", () => {
  expect(codeBefore(`r = "${'\\"'.repeat(200_000)}`)).toBeNull();
  expect(codeBefore(`r = '${"\\'".repeat(200_000)}\n`)).toHaveLength(400_006);
});
