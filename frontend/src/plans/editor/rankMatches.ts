/** Finding by what is typed: the best first, over all groups. */

export interface Findable {
  title: string;
  /** Other words under which it is found, the most fitting first. */
  words: readonly string[];
}

/** Words with a space before each, so that a word is found by its beginning: "ratio" is not in "duration". */
const readable = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}%]+/gu, " ")
    .trim()}`;

/** Of several things that have the same word, the one that names it earlier comes first. */
const earliness = (place: number): number => 1 / (place + 2);

/** How well a thing answers what is typed: by its title, by another name, else by all the words somewhere. */
export function rankMatch({ title, words }: Findable, search: string): number {
  const wanted = readable(search);
  const name = readable(title);
  if (name === wanted) return 6;
  if (name.startsWith(wanted)) return 5;
  const others = words.map(readable);
  if (name.includes(wanted)) return 4;
  const same = others.indexOf(wanted);
  if (same >= 0) return 3 + earliness(same);
  const part = others.findIndex((text) => text.includes(wanted));
  if (part >= 0) return 2 + earliness(part);
  const all = [name, ...others].join(" ");
  return partsOf(wanted).every((part) => all.includes(part)) ? 1 : 0;
}

const partsOf = (readableText: string): string[] =>
  readableText
    .trim()
    .split(" ")
    .map((part) => ` ${part}`);

/** Words that say too little to find anything by. */
const SMALL = new Set([
  " a",
  " the",
  " of",
  " in",
  " on",
  " by",
  " and",
  " or",
  " to",
  " for",
  " with",
  " is",
  " how",
]);

/** The share of the words that a thing has, where that is half of them. */
function shareOf({ title, words }: Findable, search: string): number {
  const text = [title, ...words].map(readable).join(" ");
  const parts = partsOf(readable(search)).filter((part) => !SMALL.has(part));
  const share = parts.filter((part) => text.includes(part)).length / Math.max(1, parts.length);
  return share >= 0.5 ? share : 0;
}

/** Whether what is typed stands within a word. */
function isWithin({ title, words }: Findable, search: string): number {
  const typed = readable(search).trim();
  return typed.length > 2 && [title, ...words].map(readable).join(" ").includes(typed) ? 1 : 0;
}

type Score = (findable: Findable, search: string) => number;

/** By the first of these scores that anything answers. */
function rankedBy<T extends Findable>(all: readonly T[], search: string, scores: readonly Score[]): T[] {
  for (const score of scores) {
    const scored = all
      .map((one): [T, number] => [one, score(one, search)])
      .filter(([, points]) => points > 0);
    if (scored.length > 0) return scored.toSorted(([, a], [, b]) => b - a).map(([one]) => one);
  }
  return [];
}

/** What answers, the best first. */
export function selectMatches<T extends Findable>(all: readonly T[], search: string): T[] {
  return rankedBy(all, search, [rankMatch, isWithin]);
}

/** What answers; where nothing does, what has most of the words. */
export function selectLooseMatches<T extends Findable>(all: readonly T[], search: string): T[] {
  return rankedBy(all, search, [rankMatch, isWithin, shareOf]);
}
