import type { Kind } from "./language";
import { proposalsAt, findWantedValues, type Proposal, type Value, type ValuesRequest } from "./proposals";
import { useLatestAnswer } from "./useLatestAnswer";
import { valuesOf } from "./values";

/** What is proposed for the word at the caret; null: nobody types there. */
export function useProposals(text: string, caret: number | null, kinds: readonly Kind[]): Proposal[] {
  const wanted = caret === null ? null : findWantedValues(text, caret);
  const { question, answer } = useLatestAnswer<ValuesRequest, Value[]>(wanted, valuesOf);
  if (caret === null) return [];
  const known = wanted !== null && question?.field === wanted.field ? answer : null;
  return proposalsAt(text, caret, kinds, known ?? []);
}
