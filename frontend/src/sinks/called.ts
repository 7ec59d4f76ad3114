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
