/** What can be chosen in the search over everything, in the order in which it is shown. */
import type { Tone } from "../ui/tone";
import { addressOf, lessOf, toneOf, type SearchResult, type Group } from "./results";
import type { Proposal } from "./proposals";

interface ListedOption {
  id: string;
  title: string;
  note: string;
  /** Whose it is. */
  owner: string;
  tone: Tone | null;
}

/** One thing that a field may name. */
export interface Choice extends ListedOption {
  /** What it is called, where its title says more. */
  name?: string;
}

/** Something that leads away, a word to be said, another text, or something to be chosen. */
export type Option = ListedOption &
  ({ href: string } | { say: Proposal } | { text: string } | { pick: Choice });

export interface Section {
  title: string;
  options: readonly Option[];
}

const plain = { owner: "", tone: null } as const;

/** Words that would find less. */
export function listNarrowerTexts(proposals: readonly Proposal[]): Section {
  const options = proposals.map((say) => ({
    ...plain,
    id: say.id,
    title: say.text,
    note: say.words,
    say,
  }));
  return { title: "Narrow it down", options };
}

/** The text without one of its words each, where nothing was found for all of them. */
export function listShorterTexts(text: string): Section {
  const options = lessOf(text).map((one) => ({
    ...plain,
    id: `less ${one.word}`,
    title: `Without ${one.word}`,
    note: "",
    text: one.text,
  }));
  return { title: "Try fewer words", options };
}

/** Those in which there is something. */
export const selectFilledSections = (sections: readonly Section[]): Section[] =>
  sections.filter(({ options }) => options.length > 0);

/** How something that was found is shown. */
export const shownOf = (one: SearchResult): Omit<ListedOption, "id"> => ({
  title: one.name,
  note: one.words,
  owner: one.owner_kind === "team" ? `team ${one.owner}` : one.owner,
  tone: toneOf(one),
});

function found({ title, kind, found: things, all }: Group): Section {
  const options = things.map((one): Option => ({
    ...shownOf(one),
    id: `${kind} ${one.id}`,
    href: addressOf(one),
  }));
  const more = { ...plain, id: `all ${kind}`, title: `All ${title.toLowerCase()} that match`, note: "" };
  return { title, options: all === null ? options : [...options, { ...more, href: all }] };
}

interface KnownText {
  text: string;
  proposals: readonly Proposal[];
  /** Null: nothing is known for this text. */
  groups: readonly Group[] | null;
}

export function sectionsOf({ text, proposals, groups }: KnownText): Section[] {
  const less = groups?.length === 0 ? [listShorterTexts(text)] : [];
  return selectFilledSections([listNarrowerTexts(proposals), ...(groups ?? []).map(found), ...less]);
}

export const flattenSections = (sections: readonly Section[]): Option[] =>
  sections.flatMap(({ options }) => options);

/** What Enter does before somebody moves: a field that is being typed is completed, else the first thing is opened. */
export function firstOf(options: readonly Option[], inField: boolean): string | null {
  const [first] = options;
  const thing = options.find((option) => "href" in option);
  return (inField ? first : thing)?.id ?? null;
}

/** The option `by` further, around the ends. */
export function moved(options: readonly Option[], from: string | null, by: 1 | -1): string | null {
  if (options.length === 0) return null;
  const at = options.findIndex(({ id }) => id === from);
  const next = at < 0 ? (by > 0 ? 0 : options.length - 1) : (at + by + options.length) % options.length;
  return options[next]?.id ?? null;
}
