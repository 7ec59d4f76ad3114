/** Which lanes are in sight, or nearly: of a large plan only these are drawn and followed. */
import { useEffect, type RefObject } from "react";
import { create } from "zustand";
import { without } from "../core/graph/records";

/** Of more lanes than these only those are followed that are in sight, or whose node is selected. */
export const MAX_FOLLOWED_LANES = 100;
/** The overview has room for so many. */
const MAX_OVERVIEW_LANES = 12;
const MARGIN = "96px";

export const useVisibleLanes = create<Readonly<Record<string, true>>>(() => ({}));

function set(name: string, near: boolean): void {
  const held = useVisibleLanes.getState();
  if (near !== (held[name] ?? false))
    useVisibleLanes.setState(near ? { ...held, [name]: true } : without(held, name), true);
}

/** Whether a lane is in sight, or nearly. */
export function useIsVisible(name: string, place: RefObject<HTMLElement | null>): boolean {
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const watch = new IntersectionObserver((entries) => set(name, entries.at(-1)?.isIntersecting ?? false), {
      root: element.closest(".lanes-scroll"),
      rootMargin: MARGIN,
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      set(name, false);
    };
  }, [name, place]);
  return useVisibleLanes((state) => state[name] ?? false);
}

interface Named {
  readonly name: string;
}

/** Those of all lanes that are followed: first what is in sight, then what is selected. */
export function selectFollowedLanes<One extends Named>(
  all: readonly One[],
  near: Readonly<Record<string, true>>,
  selected: ReadonlySet<string>,
): readonly One[] {
  if (all.length <= MAX_FOLLOWED_LANES) return all;
  const seen = all.filter(({ name }) => near[name]);
  const others = all.filter(({ name }) => !near[name] && selected.has(name));
  return [...seen, ...others].slice(0, MAX_FOLLOWED_LANES);
}

/** Those of all lanes that the overview shows: all where there is room, else the first that are in sight. */
export function selectOverviewLanes<One extends Named>(
  all: readonly One[],
  near: Readonly<Record<string, true>>,
): readonly One[] {
  if (all.length <= MAX_OVERVIEW_LANES) return all;
  const seen = all.filter(({ name }) => near[name]);
  return (seen.length > 0 ? seen : all).slice(0, MAX_OVERVIEW_LANES);
}
