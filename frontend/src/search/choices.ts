/** What a field offers of which one thing is chosen: what was found for a text, and what helps to find it. */
import { lessOf } from "./found";
import type { Option, Section } from "./options";
import type { Proposal } from "./proposals";
import type { Tone } from "../editor/tone";

export interface Choice {
  id: string;
  title: string;
  note: string;
  owner: string;
  tone: Tone | null;
}

export interface Choices {
  choices: readonly Choice[];
  /** There are more than these. */
  more: boolean;
}

interface Offered {
  /** What they are: plans. */
  what: string;
  text: string;
  proposals: readonly Proposal[];
  /** Null: nothing is known for this text. */
  found: Choices | null;
  /** New ones, whatever was found. */
  beside: readonly Choice[];
}

const plain = { note: "", owner: "", tone: null } as const;
const picked = (one: Choice): Option => ({ ...one, id: `pick ${one.id}`, pick: one });

/** What was found goes first: mostly a name is typed. */
export function sectionsFor({ what, text, proposals, found, beside }: Offered): Section[] {
  const less = found?.choices.length === 0 ? lessOf(text) : [];
  return [
    { title: `${what[0]?.toUpperCase() ?? ""}${what.slice(1)}`, options: (found?.choices ?? []).map(picked) },
    { title: "New", options: beside.map(picked) },
    {
      title: "Narrow it down",
      options: proposals.map((say) => ({ ...plain, id: say.id, title: say.text, note: say.words, say })),
    },
    {
      title: "Try fewer words",
      options: less.map((one) => ({
        ...plain,
        id: `less ${one.word}`,
        title: `Without ${one.word}`,
        text: one.text,
      })),
    },
  ].filter(({ options }) => options.length > 0);
}

/** What Enter means before somebody moves: a value that is being typed is completed, else the first thing is taken. */
export function meant(options: readonly Option[], inField: boolean): string | null {
  const wanted = options.find((one) => (inField ? "say" in one : "pick" in one));
  return wanted?.id ?? null;
}

/** How much was found, for whoever does not see the list. */
export function foundInWords(what: string, text: string, found: Choices | null): string {
  if (found === null) return "Searching.";
  const many = found.choices.length;
  if (many === 0)
    return text === "" ? `There are no ${what} yet.` : `No ${what} match “${text}”, as far as you may look.`;
  if (found.more) return `The first ${many} ${what}; type to find others.`;
  return `${many} ${many === 1 ? what.replace(/s$/, "") : what}`;
}
