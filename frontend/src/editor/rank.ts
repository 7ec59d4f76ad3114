/** Finding by what is typed: the best first, over all groups. */

export interface Findable {
  title: string;
  /** Other words under which it is found. */
  words: readonly string[];
}

/** How well a thing answers what is typed: by its title, else by all the words somewhere. */
export function rank({ title, words }: Findable, search: string): number {
  const wanted = search.trim().toLowerCase();
  const name = title.toLowerCase();
  if (name === wanted) return 5;
  if (name.startsWith(wanted)) return 4;
  if (name.includes(` ${wanted}`)) return 3;
  const text = [name, ...words.map((one) => one.toLowerCase())].join(" ");
  if (text.includes(wanted)) return 2;
  return wanted.split(/\s+/).every((word) => text.includes(word)) ? 1 : 0;
}

/** What answers at all, the best first. */
export function ranked<T extends Findable>(all: readonly T[], search: string): T[] {
  return all
    .map((one): [T, number] => [one, rank(one, search)])
    .filter(([, score]) => score > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([one]) => one);
}
