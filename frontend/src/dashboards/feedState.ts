/** What is known of a feed, as it is kept. */
import type { Behind, Kind, LeftOut } from "../core/api/types";
import type { Piece } from "../timechart/pieces";

/** What is known of a node, whatever is asked of it. */
export interface FeedProgress {
  readonly finalUntil: number | null;
  /** The newest event that the node has seen. */
  readonly newestEvent: number | null;
  /** When the newest of it was published, microseconds; null before anything was heard. */
  readonly asOf: number | null;
  /** When the node ceased to be computed, by the wall clock; null while it goes on. */
  readonly stoppedAt: number | null;
  /** Where more has come than the node has seen: until when it has, and why. */
  readonly behind: Behind | null;
  readonly heard: boolean;
  readonly error: string | null;
}

export interface Feed extends FeedProgress {
  readonly kind: Kind | null;
  readonly pieces: readonly Piece[];
  /** Where change points are left out, of a feed that is thinned. */
  readonly leftOut: readonly LeftOut[];
}

export interface Ranked extends FeedProgress {
  readonly kind: Kind | null;
  readonly rows: readonly { key: string; pieces: readonly Piece[] }[];
  readonly ranked: number;
  readonly total: number;
}

const UNHEARD: FeedProgress = {
  finalUntil: null,
  newestEvent: null,
  asOf: null,
  stoppedAt: null,
  behind: null,
  heard: false,
  error: null,
};
/** Nothing was heard yet. */
export const SILENT: Feed = { ...UNHEARD, kind: null, pieces: [], leftOut: [] };
/** Nothing was heard yet. */
export const UNRANKED: Ranked = { ...UNHEARD, kind: null, rows: [], ranked: 0, total: 0 };

/** What of an answer says how far its node has come. */
interface ProgressAnswer {
  readonly final_until: number | null;
  readonly newest_event?: number | null;
  readonly as_of: number | null;
  readonly stopped_at?: number | null;
  readonly behind?: Behind | null;
}

/** How far a node has come, as every message and answer tells. */
export function toFeedProgress(message: ProgressAnswer): FeedProgress {
  const { final_until: finalUntil, newest_event: newestEvent = null, as_of: asOf } = message;
  const { stopped_at: stoppedAt = null, behind = null } = message;
  return { finalUntil, newestEvent, asOf, stoppedAt, behind, heard: true, error: null };
}
