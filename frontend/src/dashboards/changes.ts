/** The newest changes of many keys, one below the other. Pure. */
import type { Scalar } from "../core/api/types";
import type { KeyRow } from "../timechart/keyRows";
import type { Window } from "../timechart/window";

export const MAX_CHANGES = 200;

export interface Change {
  readonly t: number;
  readonly key: string;
  readonly value: Scalar | null;
  /** Whether the number grows or falls from there on. */
  readonly isSloped: boolean;
}

/** The changes from the begin of the window until `until`, the newest first, at most `MAX_CHANGES`. */
export function selectChanges(rows: readonly KeyRow[], { start }: Window, until: number): readonly Change[] {
  const changes = rows.flatMap(({ key, pieces }) =>
    pieces
      .filter(({ t }) => t !== null && t >= start && t <= until)
      .map(({ t, value, slope }): Change => ({ t: t ?? 0, key, value, isSloped: slope !== 0 })),
  );
  return changes
    .sort((a, b) => b.t - a.t || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .slice(0, MAX_CHANGES);
}
