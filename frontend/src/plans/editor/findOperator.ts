/** How an operator is found: by its title, its name in plans, what others call it, and what it does. */
import type { Operator } from "../../core/api/types";
import type { Findable } from "./rankMatches";

export const findOperator = (operator: Operator): Findable & { operator: Operator } => ({
  title: operator.title,
  words: [operator.name, ...operator.synonyms, operator.summary],
  operator,
});
