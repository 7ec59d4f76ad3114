/** The rules by which fields are mapped, while they are written. Pure. */
import type { GivenRule, MappingRule } from "../core/api/streams";

export const CASTS: Readonly<Record<Cast, string>> = {
  "": "as it comes",
  number: "number",
  decimal_comma: "number with a decimal comma",
  bool: "true or false",
  text: "text",
};

export type Cast = "" | NonNullable<MappingRule["cast"]>;

export interface RuleRow {
  to: string;
  does: "reads" | "is";
  /** The field that is read, or the constant as JSON or as plain text. */
  value: string;
  cast: Cast;
}

export const NEW_RULE: RuleRow = { to: "", does: "reads", value: "", cast: "" };

export function rowsOfMapping(mapping: readonly MappingRule[]): RuleRow[] {
  return mapping.map(({ to, from, cast, constant }) =>
    constant === undefined
      ? { to, does: "reads", value: from ?? to, cast: cast ?? "" }
      : { to, does: "is", value: spellConstant(constant), cast: "" },
  );
}

/** As the server takes it; a row in which nothing stands is no rule. */
export function mappingOf(rows: readonly RuleRow[]): GivenRule[] {
  return rows.filter(({ to, value }) => to.trim() !== "" || value.trim() !== "").map(ruleOf);
}

function ruleOf({ to, does, value, cast }: RuleRow): GivenRule {
  if (does === "is") return { to: to.trim(), constant: parseConstant(value) };
  return { to: to.trim(), from: value.trim(), ...(cast === "" ? {} : { cast }) };
}

/** A number or a bool as JSON spells it; all else is text, and so is what stands in quotes. */
function parseConstant(text: string): string | number | boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  } catch {
    return text.trim();
  }
  return text.trim();
}

function spellConstant(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return parseConstant(text) === value ? text : JSON.stringify(value);
}
