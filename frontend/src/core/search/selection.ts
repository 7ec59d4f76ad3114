/** What of a list is chosen: some by name, or all that match. */
import { formatCounted } from "../ui/format";

export interface Choice {
  ids: ReadonlySet<string>;
  /** All that match, also those that are not shown. */
  all: boolean;
}

export const NONE: Choice = { ids: new Set(), all: false };

/** Chosen or not any more; whoever takes one out of all has chosen the rest of what is shown. */
export function toggleOne({ ids, all }: Choice, id: string, shown: readonly string[]): Choice {
  const next = new Set(all ? shown : ids);
  if (next.has(id)) next.delete(id);
  else next.add(id);
  return { ids: next, all: false };
}

/** Of those that are shown: all of them, none, or some. */
export function partOf({ ids, all }: Choice, shown: readonly string[]): "all" | "none" | "some" {
  if (shown.length > 0 && (all || shown.every((id) => ids.has(id)))) return "all";
  return shown.some((id) => ids.has(id)) ? "some" : "none";
}

export function toggleShown(choice: Choice, shown: readonly string[]): Choice {
  return partOf(choice, shown) === "all" ? NONE : { ids: new Set([...choice.ids, ...shown]), all: false };
}

/** What is not there any more is not chosen any more. */
export function keepExisting({ ids, all }: Choice, shown: readonly string[]): Choice {
  const there = new Set(shown);
  return { ids: new Set([...ids].filter((id) => there.has(id))), all };
}

export function describeSelection({ ids, all }: Choice, what: string): string {
  if (all) return `All matching ${what} selected`;
  const many = ids.size;
  return many === 0 ? "" : `${formatCounted(many, what)} selected`;
}
