import type { GivenSource, SourceKind, SourceOption } from "../api/streams";

/** What stands in the fields of a form, by option. */
export type Filled = Readonly<Record<string, string>>;

/** What is written, as its option takes it; what is no number stays text, and is refused in words. */
function valueOf({ kind }: SourceOption, text: string): GivenSource["options"][string] {
  if (kind === "bool") return text === "true";
  const isNumber = kind === "whole" || kind === "number";
  return isNumber && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** What is sent: an option that was left empty is its default, a secret that was is left out, so that it stays. */
export function givenSource(kind: SourceKind, filled: Filled): GivenSource {
  const options: GivenSource["options"] = {};
  for (const option of kind.options) {
    const value = (filled[option.name] ?? "").trim();
    if (value !== "") options[option.name] = valueOf(option, value);
    else if (option.required) options[option.name] = value;
  }
  return { kind: kind.name, options };
}
