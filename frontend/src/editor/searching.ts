/** The search of the palette. */
import type { Operator } from "../api/types";

/** Whether every word stands in what the operator is called, here or by others, or in what it does. */
export function matchesSearch(operator: Operator, search: string): boolean {
  const words = [operator.name, operator.title, operator.summary, ...operator.synonyms];
  const text = words.join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
