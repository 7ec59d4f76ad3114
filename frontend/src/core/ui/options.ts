/** The options of a source or a sink: what people write in their fields, and what of it is sent. */
import type { Wire } from "../api/wire";

export type Option = Wire<"SourceOption">;

/** What stands in the fields of a form, by option; null: a secret that is kept is to be removed. */
export type Filled = Readonly<Record<string, string | null>>;

const SHORT: Readonly<Record<string, string>> = { url: "URL", tls: "TLS", ca: "CA", qos: "QoS", id: "ID" };

/** bootstrap_url, for people: Bootstrap URL. */
export function formatOptionTitle(name: string): string {
  const words = name.split("_").map((word) => SHORT[word] ?? word);
  const title = words.join(" ");
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** What is written, as its option takes it; what is no number stays text, and is refused in words. */
function valueOf({ kind }: Option, text: string): unknown {
  if (kind === "bool") return text === "true";
  const isNumber = kind === "whole" || kind === "number";
  return isNumber && text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** What is kept of a source or a sink that is changed. */
export interface Before {
  readonly options: Readonly<Record<string, unknown>>;
  /** The names of its secrets. */
  readonly secrets: readonly string[];
}

/** The secrets that stay where nothing is written: none where another option changes who is told them, or how. */
export function listKeptSecrets(
  options: readonly Option[],
  filled: Filled,
  before: Before | null,
): readonly string[] {
  const isAsBefore = ({ name, default: usual }: Option) =>
    ((filled[name] ?? "").trim() || String(usual ?? "")) === String(before?.options[name] ?? usual ?? "");
  return options.filter(({ guards }) => guards).every(isAsBefore) ? (before?.secrets ?? []) : [];
}

/** What is sent: an option that was left empty is its default, a secret that is `kept` stays unless it is removed. */
export function toSentOptions(
  options: readonly Option[],
  filled: Filled,
  kept: readonly string[] = [],
): Record<string, unknown> {
  const sent: Record<string, unknown> = {};
  for (const option of options) {
    const { name, required } = option;
    const written = filled[name];
    const value = (written ?? "").trim();
    const needed = required && !kept.includes(name);
    if (value !== "" || written === null || needed) sent[name] = valueOf(option, value);
  }
  return sent;
}
