import { expect, test } from "vitest";
import { extractCodeBefore } from "./call";

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
  expect(extractCodeBefore(text)).toBe(code);
});

test("a long quotation that is not closed is seen at once", () => {
  expect(extractCodeBefore(`r = "${'\\"'.repeat(200_000)}`)).toBeNull();
  expect(extractCodeBefore(`r = '${"\\'".repeat(200_000)}\n`)).toHaveLength(400_006);
});
