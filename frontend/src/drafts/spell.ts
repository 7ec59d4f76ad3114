/** A value of a plan document, for people. */
export function spellValue(value: unknown): string {
  if (value === undefined) return "not there";
  if (typeof value === "string") return value === "" ? "empty" : value;
  if (Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number"))
    return value.length > 0 ? value.join(", ") : "none";
  return typeof value === "object" ? JSON.stringify(value, null, 1) : String(value);
}
