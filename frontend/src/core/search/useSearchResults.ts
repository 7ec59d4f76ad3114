import { read } from "../api/client";
import { groupsOf, type SearchAnswer } from "./results";
import { FIELDS, termAt, type Kind } from "./language";
import { firstOf, flattenSections, sectionsOf } from "./options";
import { describeOtherError, wrongOf } from "./problems";
import { isUnfinished } from "./proposals";
import { useLatestAnswer } from "./useLatestAnswer";
import { useProposals } from "./useProposals";
import { useTypedText } from "./useTypedText";

const KINDS: readonly Kind[] = ["plan", "node", "stream", "dashboard"];
const EACH = 5;
const EACH_AT_FIRST = 3;

const ask = (text: string, signal: AbortSignal): Promise<SearchAnswer> => {
  const limit = String(text === "" ? EACH_AT_FIRST : EACH);
  return read<SearchAnswer>(`/api/search/?${new URLSearchParams({ q: text, limit })}`, signal);
};

/** What is typed, what was found for it, and what can be chosen. */
export function useSearchResults() {
  const typed = useTypedText("");
  const { text, caret } = typed;
  const asked = text.trim();
  const { question, answer, error, busy } = useLatestAnswer<string, SearchAnswer>(
    isUnfinished(text, caret) ? null : asked,
    ask,
  );
  const proposals = useProposals(text, caret, KINDS);
  const groups = answer === null ? null : groupsOf(answer, question ?? "");
  const sections = sectionsOf({ text: question ?? "", proposals, groups });
  const wrong = question === asked ? wrongOf(asked, error) : null;
  const inField = proposals.length > 0 && FIELDS.some(({ name }) => name === termAt(text, caret).field);
  // While a value is being typed, what is proposed says more than that it is unknown yet.
  const problems = inField ? null : wrong;
  const options = flattenSections(sections);
  // What was found for another text is shown until the answer is there, but is not what Enter means.
  const fresh = question === asked && !busy;
  const first = (fresh && asked !== "") || inField ? firstOf(options, inField) : null;
  const active = options.some((option) => option.id === typed.active) ? typed.active : first;
  const failure = describeOtherError(asked, error);
  return { typed, asked, groups, sections, options, active, problems, failure, busy, fresh };
}

export type SearchResults = ReturnType<typeof useSearchResults>;
