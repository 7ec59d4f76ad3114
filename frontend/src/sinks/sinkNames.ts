/** How one of several sinks is told apart. Pure. */
import type { Sink } from "./calls";

/** Its kind, where it delivers to, and what. */
export function calledOf({
  title,
  place,
  delivers,
  number,
}: Pick<Sink, "title" | "place" | "delivers" | "number">) {
  const where = place === "" ? `, number ${number}` : ` to ${place}`;
  return `${title}${where}: ${delivers === "final" ? "what is final" : "every revision"}`;
}

/** Whose it is, and what that means for who may not change it. */
export function describeOwner({ owner, owner_kind, rights }: Pick<Sink, "owner" | "owner_kind" | "rights">) {
  const whose = owner_kind === "team" ? `the team ${owner}` : owner;
  if (rights.includes("own")) return `Owner: ${whose}.`;
  return `Owner: ${whose}. Only the owner and administrators can view and edit its target.`;
}
