/** The language of searches as somebody types it. The server reads it (docs/search.md); here it is completed. */

export type Kind = "plan" | "node" | "stream" | "dashboard" | "alert" | "incident";

/** One word of a search, and where it stands. */
export interface Term {
  start: number;
  end: number;
  no: boolean;
  /** Empty: it is part of a name. */
  field: string;
  value: string;
}

interface Choice {
  value: string;
  words: string;
  kinds: readonly Kind[];
}

const ALL: readonly Kind[] = ["plan", "node", "stream", "dashboard", "alert", "incident"];
const SHARED: readonly Kind[] = ["plan", "node", "stream", "dashboard"];
const RUN: readonly Kind[] = ["plan", "node", "stream"];

export interface Field {
  name: string;
  /** As an example, and what it asks. */
  example: string;
  words: string;
  kinds: readonly Kind[];
}

export const FIELDS: readonly Field[] = [
  { name: "owner", example: "owner:me", words: "owner: you, a user or a team", kinds: ALL },
  { name: "is", example: "is:failing", words: "how it is", kinds: ALL },
  { name: "op", example: "op:duration_where", words: "has this operator", kinds: ["plan", "node"] },
  {
    name: "uses",
    example: "uses:NAME",
    words: "uses this stream, node or plan",
    kinds: ["plan", "node", "dashboard", "alert", "incident"],
  },
  {
    name: "severity",
    example: "severity:critical",
    words: "critical, warning or info",
    kinds: ["alert", "incident"],
  },
  { name: "stream", example: "stream:NAME", words: "reads this stream", kinds: SHARED },
  { name: "team", example: "team:NAME", words: "belongs to this team", kinds: ALL },
];

export const STATES: readonly Choice[] = [
  { value: "failing", words: "failed or retrying", kinds: RUN },
  { value: "running", words: "runs", kinds: RUN },
  { value: "stopped", words: "does not run", kinds: RUN },
  { value: "unused", words: "no plan uses it", kinds: ["node"] },
  { value: "firing", words: "has firing incidents, or fires", kinds: ["alert", "incident"] },
  { value: "silenced", words: "silenced now", kinds: ["alert", "incident"] },
  { value: "mine", words: "you or your team own it", kinds: ALL },
  { value: "shared", words: "is shared by you or with you", kinds: SHARED },
  { value: "open", words: "everyone may view it", kinds: ["plan", "stream", "dashboard"] },
];

/** The words of a text, however unfinished. */
export function termsOf(text: string): Term[] {
  return [...text.matchAll(/(?:"[^"]*(?:"|$)|[^\s"])+/g)].map((match) => {
    const [whole] = match;
    const parts = /^(-?)(?:([^\s":]+):)?(.*)$/s.exec(whole);
    const value = (parts?.[3] ?? "").replaceAll('"', "");
    const no = parts?.[1] === "-";
    return {
      start: match.index,
      end: match.index + whole.length,
      no,
      field: parts?.[2]?.toLowerCase() ?? "",
      value,
    };
  });
}

/** The word that is being typed; an empty one between others. */
export function termAt(text: string, caret: number): Term {
  const term = termsOf(text).find(({ start, end }) => start < caret && caret <= end);
  return term ?? { start: caret, end: caret, no: false, field: "", value: "" };
}

/** A value as it is written after its field. */
export function formatTermValue(value: string): string {
  return /[\s":]/.test(value) || value.startsWith("-") ? `"${value.replaceAll('"', "")}"` : value;
}

const same = (a: Term, b: Term | undefined): boolean =>
  b !== undefined && a.no === b.no && a.field === b.field && a.value.toLowerCase() === b.value.toLowerCase();

export const has = (text: string, term: string): boolean =>
  termsOf(text).some((one) => same(one, termsOf(term)[0]));

/** The text without a word. */
export function removeTerm(text: string, term: Term): string {
  return `${text.slice(0, term.start).trimEnd()} ${text.slice(term.end).trimStart()}`.trim();
}

/** With this word, or without it where it is there. */
export function toggled(text: string, term: string): string {
  const there = termsOf(text).find((one) => same(one, termsOf(term)[0]));
  return there ? removeTerm(text, there) : `${text.trim()} ${term}`.trim();
}

/** What somebody typed, as words of names and nothing else. */
export function asNames(text: string): string {
  return text
    .split(/\s+/)
    .map((word) => word.replaceAll('"', ""))
    .filter((word) => word !== "")
    .slice(0, 20)
    .map(formatTermValue)
    .join(" ");
}
