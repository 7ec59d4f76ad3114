/** What is said of lines that were refused. Pure. */
import type { RejectedEvent } from "../core/api/streams";

/** What became of what came with them, and what can be done about it. */
export function describeRejected(
  lines: readonly Pick<RejectedEvent, "place" | "alone">[],
  pushes: boolean,
): string {
  const alone = lines.some((line) => line.alone);
  const together = lines.some((line) => !line.alone);
  const sentences = [
    together && !alone && "The whole request was rejected.",
    alone && !together && "Only these events were rejected; the rest was accepted.",
    alone &&
      together &&
      "A rejected line rejects its whole request; events of a source or a sample are rejected one by one.",
    pushes && "Fix a line, or edit the schema, and retry.",
  ];
  return sentences.filter((sentence) => sentence !== false).join(" ");
}
