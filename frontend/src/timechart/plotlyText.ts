/** What Plotly draws as text, so that it says what it says: Plotly reads tags and entities in it as markup. */

/** Where Plotly expects text, in traces and in a layout, at any depth; x and y are categories where they are text. */
const TEXT_KEYS: ReadonlySet<string> = new Set([
  "text",
  "name",
  "title",
  "hovertext",
  "ticktext",
  "tickprefix",
  "ticksuffix",
  "labels",
  "customdata",
  "categoryarray",
  "x",
  "y",
]);

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", $: "&#36;" };

/** A text as Plotly is to be told it. */
export const escapeText = (text: string): string =>
  text.replaceAll(/[&<>$]/g, (sign) => ENTITIES[sign] ?? sign);

function textsIn(value: unknown): unknown {
  if (typeof value === "string") return escapeText(value);
  // Columns of numbers, which may be long, stay as they are.
  if (Array.isArray(value)) return value.some((one) => typeof one !== "number") ? value.map(textsIn) : value;
  return escapeTexts(value);
}

/** Traces or a layout in which every text is drawn as it is. */
export function escapeTexts<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(escapeTexts) as Part;
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([key, value]) => [
    key,
    TEXT_KEYS.has(key)
      ? textsIn(value)
      : Array.isArray(value) && typeof value[0] !== "object"
        ? value
        : escapeTexts(value),
  ]);
  return Object.fromEntries(entries) as Part;
}
