/** A value of a plan document, for people. */
export function spellValue(value: unknown): string {
  if (value === undefined) return "not there";
  if (typeof value === "string") return value === "" ? "empty" : value;
  if (Array.isArray(value)) return value.length > 0 ? value.map(spellValue).join(", ") : "none";
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${spellValue(inner)}`)
    .join("\n");
}
