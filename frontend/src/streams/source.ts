import type { GivenSource, SourceKind } from "../api/streams";

/** What stands in the fields of a form, by option. */
export type Filled = Readonly<Record<string, string>>;

/** What is sent: an option that was left empty is its default, a secret that was is left out, so that it stays. */
export function givenSource(kind: SourceKind, filled: Filled): GivenSource {
  const options: Record<string, string> = {};
  for (const { name, required } of kind.options) {
    const value = (filled[name] ?? "").trim();
    if (value !== "" || required) options[name] = value;
  }
  return { kind: kind.name, options };
}
