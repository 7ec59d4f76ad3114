import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Rules of style sheets, and objects of styles in TypeScript. */
function rules(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  return text.split("}").filter((rule) => /font(-family|Family)?:[^;\n]*var\(--mono\)/.test(rule));
}

test("no code field draws a ligature for ==, != or >=", () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" });
  const styled = files.filter((file) => file.endsWith(".css") || file.endsWith("theme.ts"));
  const found = styled.flatMap((file) => rules(file).map((rule) => ({ file, rule: rule.trim() })));
  expect(found.length).toBeGreaterThan(10);
  const drawing = found.filter(({ rule }) => !/font-?[vV]ariant-?[lL]igatures: "?none/.test(rule));
  expect(drawing).toEqual([]);
});
