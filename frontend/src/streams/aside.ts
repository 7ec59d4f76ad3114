/** What is said of lines that were refused. Pure. */
import type { AsideLine } from "../api/streams";

/** What became of what came with them, and what can be done about it. */
export function refusedWords(lines: readonly Pick<AsideLine, "place" | "alone">[], pushes: boolean): string {
  const alone = lines.some((line) => line.alone);
  const together = lines.some((line) => !line.alone);
  const told = [
    together && !alone && "Each was refused with all of its request.",
    alone && !together && "Each was left out alone: the rest of what came with it was taken.",
    alone &&
      together &&
      "A line of a request was refused with all of it; what came by a source, or in a sample that was taken without it, was left out alone.",
    pushes && "Mend a line, or change the declaration, and try again.",
  ];
  return told.filter((one) => one !== false).join(" ");
}
