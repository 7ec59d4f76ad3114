import type { Given, SinkKind, SinkOption } from "./calls";

/** What stands in the fields of a form, by option. */
export type Filled = Readonly<Record<string, string>>;

const NUMBERS: readonly string[] = ["whole", "number"];

function taken({ kind }: SinkOption, text: string): unknown {
  if (kind === "bool") return text === "true";
  // What is no number goes as it is, and the server says so beside the field.
  return NUMBERS.includes(kind) && text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** What is sent: an option that was left empty is its default, a secret that was is left out, so that it stays. */
export function givenSink(kind: SinkKind, filled: Filled): Given {
  const options: Record<string, unknown> = {};
  for (const option of kind.options) {
    const value = (filled[option.name] ?? "").trim();
    if (value !== "" || option.required) options[option.name] = taken(option, value);
  }
  return options;
}
