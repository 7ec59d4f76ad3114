/** A dashboard as a file, and back. Pure. */
import type { BoardDocument } from "../core/api/dashboards";

const VERSION = 1;

export interface BoardFile {
  readonly name: string;
  readonly document: BoardDocument;
}

export const formatBoard = ({ name, document }: BoardFile): string =>
  `${JSON.stringify({ timelines_dashboard: VERSION, name, document }, null, 2)}\n`;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`The file is not JSON: ${cause instanceof Error ? cause.message : String(cause)}.`, {
      cause,
    });
  }
}

/** What the server checks further; what is no dashboard of ours is refused here. */
export function parseBoard(text: string): BoardFile {
  const found = jsonOf(text);
  if (typeof found !== "object" || found === null || !("timelines_dashboard" in found))
    throw new Error("The file is not a dashboard. Choose a file that “Export as JSON” of a dashboard wrote.");
  const { timelines_dashboard: version, name, document } = found as Record<string, unknown>;
  if (version !== VERSION)
    throw new Error(
      `The file has the format ${JSON.stringify(version)}; this server reads format ${VERSION}.`,
    );
  if (typeof document !== "object" || document === null)
    throw new Error("The file has no “document”: export the dashboard again.");
  return { name: typeof name === "string" ? name : "", document: document as BoardDocument };
}
