/** What the page of a public link asks the server: one call brings the dashboard and what runs of its charts. */
import { api, ApiError, describeError, isTransient } from "../core/api/client";
import type { Board, PublicBoard } from "../core/api/dashboards";
import { showAs, take } from "./server";
import { get, set, sourceId } from "./store";

/** Nobody's: whoever has the link may look, and do nothing else. */
function toBoard({ name, version, document }: PublicBoard): Board {
  const nobody = { owner: "", owner_kind: "person", rights: [], open_to_all: false } as const;
  return { id: 0, name, version, newest: version, document, updated_at: "", ...nobody, rights: [] };
}

export async function loadPublicBoard(): Promise<void> {
  try {
    const found = await api.publicDashboard();
    const { board, gone } = get();
    if (board?.version !== found.version || board.name !== found.name || gone || !isSame(board, found))
      take(toBoard(found));
    set({ sources: Object.fromEntries(found.sources.map((source) => [sourceId(source), source])) });
    showAs(found.sources);
  } catch (error) {
    // A link that has ended shows nothing any more; while the server is away, what was seen stays.
    const hasEnded = error instanceof ApiError && !isTransient(error);
    set({ failure: describeError(error), gone: hasEnded || get().gone });
  }
}

/** Charts leave a public link, and come back, without a new version of the dashboard. */
const isSame = (board: Board, found: PublicBoard): boolean =>
  JSON.stringify(board.document) === JSON.stringify(found.document);
