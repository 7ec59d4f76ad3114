/** What a field offers of which one thing is chosen: what was found for a text, and what helps to find it. */
import { formatCounted } from "../ui/format";
import {
  listShorterTexts,
  selectFilledSections,
  listNarrowerTexts,
  type Choice,
  type Option,
  type Section,
} from "./options";
import type { Proposal } from "./proposals";

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

const picked = (choice: Choice): Option => ({ ...choice, id: `pick ${choice.id}`, pick: choice });

/** What was found goes first: mostly a name is typed. */
export function sectionsFor({ what, text, proposals, found, beside }: Offered): Section[] {
  const title = `${what[0]?.toUpperCase() ?? ""}${what.slice(1)}`;
  return selectFilledSections([
    { title, options: (found?.choices ?? []).map(picked) },
    { title: "New", options: beside.map(picked) },
    listNarrowerTexts(proposals),
    ...(found?.choices.length === 0 ? [listShorterTexts(text)] : []),
  ]);
}

/** What Enter means before somebody moves: a value that is being typed is completed, else the first thing is taken. */
export function selectDefaultChoice(options: readonly Option[], inField: boolean): string | null {
  const option = options.find((one) => (inField ? "say" in one : "pick" in one));
  return option?.id ?? null;
}

/** How much was found, for whoever does not see the list; `those`: which of them alone are searched. */
export function describeMatches(what: string, those: string, text: string, choices: Choices | null): string {
  if (choices === null) return "Searching.";
  const which = those === "" ? "" : ` ${those}`;
  const many = choices.choices.length;
  if (many === 0 && text === "") return `No ${what}${which === "" ? " yet" : which}.`;
  if (many === 0) return `No ${what}${which} match “${text}”.`;
  if (choices.more) return `The first ${many} ${what}${which}; type to find others.`;
  return `${formatCounted(many, what)}${which}`;
}
