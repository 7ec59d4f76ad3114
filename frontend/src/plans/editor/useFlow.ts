/** What flows out of each node of the open plan, as its status tells it. */
import { useCallback, useSyncExternalStore } from "react";
import { create } from "zustand";
import type { NodeStatus } from "../../core/api/types";
import { onTick, readClock } from "../../timechart/useClock";
import { perSecond, addTally, type Tally } from "./flow";

const useTallies = create<Readonly<Record<string, readonly Tally[]>>>(() => ({}));

/** Remember how many revisions each node had told when its status came. */
export function tallyRevisions(nodes: readonly NodeStatus[], at: number): void {
  const before = useTallies.getState();
  const counted = nodes.map(({ name, digest, counters }) => {
    const place = `${name} ${digest}`;
    return [place, addTally(before[place] ?? [], at, counters.revisions ?? 0)] as const;
  });
  useTallies.setState(Object.fromEntries(counted), true);
}

function listen(changed: () => void): () => void {
  const stops = [onTick(changed), useTallies.subscribe(changed)];
  return () => stops.forEach((stop) => stop());
}

/** Revisions a second, to a tenth, so that a page draws only what has changed; null: not known yet. */
export function useFlow(status: NodeStatus | undefined): number | null {
  const place = status ? `${status.name} ${status.digest}` : "";
  const read = useCallback(() => {
    const found = perSecond(useTallies.getState()[place] ?? [], readClock());
    return found === null ? null : Math.round(found * 10) / 10;
  }, [place]);
  return useSyncExternalStore(listen, read);
}
