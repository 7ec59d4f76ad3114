/** What a value of a text field tells by its words: what fails is red, what is well is green. Pure. */

import table from "./meanings.json";

export const MEANINGS = ["good", "bad", "warning", "running", "stopped"] as const;
export type Meaning = (typeof MEANINGS)[number];

const WORDS: Readonly<Record<Meaning, string>> = table.words;

/** Where a value has words of several meanings, the first of these is told: `running_with_errors` fails. */
const ORDER = table.order as readonly Meaning[];
const NEGATIONS: ReadonlySet<string> = new Set(table.negations);
/** More words than these are a sentence, of which no single word tells the meaning. */
const MAX_WORDS = 4;

const meanings = new Map(
  ORDER.toReversed().flatMap((one) => WORDS[one].split(" ").map((word) => [word, one])),
);
const known = new Map<string, Meaning | null>();
const MAX_KNOWN = 5000;

/** `inProgress`, `IN_PROGRESS` and `in-progress` are the same words. */
function wordsOf(value: string): string[] {
  return value
    .slice(0, 80)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

function guess(value: string): Meaning | null {
  const words = wordsOf(value);
  if (words.length > MAX_WORDS) return null;
  if (words.length > 1 && words.some((word) => NEGATIONS.has(word))) return null;
  const told = new Set(words.map((word) => meanings.get(word)));
  return ORDER.find((one) => told.has(one)) ?? null;
}

/** The meaning of a value, or null of one that tells none by its words. */
export function meaningOf(value: string): Meaning | null {
  const before = known.get(value);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const meaning = guess(value);
  known.set(value, meaning);
  return meaning;
}
