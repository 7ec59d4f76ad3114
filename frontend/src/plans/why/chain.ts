/** What is shown of a chain of reasons. Pure. */
import { AS_GUESSED, formatValue, type Display } from "../../timechart/display";
import type { LitPath } from "../editor/overlay";
import type { Scalar, WhyLink } from "../../core/api/types";
import { formatExact, formatOffset } from "../../core/time/format";

export interface TextPart {
  readonly text: string;
  /** Whether it names a node, an operator or a condition. */
  readonly code: boolean;
}

type SentencePart = WhyLink["sentence_parts"][number];

/** A sentence with its instants by the clocks that are shown, with their days where these are not that of `near`. */
export const spellSentence = (parts: readonly SentencePart[], near: number): string =>
  parts.map(({ text, at }) => (at === null ? text : `${formatExact(at, near)} ${formatOffset(at)}`)).join("");

/** A sentence in parts: what stands between backticks is code. */
export function partsOf(sentence: string): TextPart[] {
  return sentence
    .split("`")
    .map((text, i) => ({ text, code: i % 2 === 1 }))
    .filter(({ text }) => text !== "");
}

const digits = (value: number): string =>
  Number(value.toPrecision(10)).toLocaleString("en", { maximumFractionDigits: 6 });

/** A value as it was chosen for its node; where nothing was, with ten digits. */
export const spellValue = (value: Scalar | null, display: Display = AS_GUESSED): string =>
  value === null ? "unknown" : formatValue(value, display, digits);

/** What a link adds to its node's name: the key or the instant, where they are not those that were asked for. */
export function describeContext(link: WhyLink, root: WhyLink): string {
  const key = link.key === root.key ? [] : [`of ${link.key}`];
  const at = link.at === root.at ? [] : [`at ${formatExact(link.at, root.at)}`];
  return [...key, ...at].join(" ");
}

/** An event's fields in one line. */
export function fieldsOf(event: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(event).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return fields.length === 0 ? "an event without fields" : fields.join(", ");
}

/** A link in which nodes are called as they are drawn, by the names under which they run. */
export function renameNodes(link: WhyLink, drawn: ReadonlyMap<string, string>): WhyLink {
  const now = (name: string): string => drawn.get(name) ?? name;
  const rename = (text: string): string =>
    text.replaceAll(/`([^`]*)`/g, (_, code: string) => `\`${now(code)}\``);
  const renamed = (part: SentencePart): SentencePart => ({ ...part, text: rename(part.text) });
  return {
    ...link,
    node: now(link.node),
    because: link.because.map(now),
    sentence_parts: link.sentence_parts.map(renamed),
    ends_parts: link.ends_parts.map(renamed),
  };
}

/** The nodes that speak, and the wires between them. */
export function pathOf(chain: readonly WhyLink[]): LitPath {
  return {
    nodes: new Set(chain.map(({ node }) => node)),
    wires: new Set(chain.flatMap(({ node, because }) => because.map((input) => `${input}>${node}`))),
  };
}
