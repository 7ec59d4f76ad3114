/** The lanes in or near the viewport: a large plan draws and follows only these. */
import { useEffect, type RefObject } from "react";
import { create } from "zustand";
import { omitKey } from "../core/graph/records";

/** Above this number, only visible lanes and those of selected nodes are followed. */
export const MAX_FOLLOWED_LANES = 100;
const MAX_OVERVIEW_LANES = 12;
const MARGIN = "96px";

export const useVisibleLanes = create<Readonly<Record<string, true>>>(() => ({}));

function set(name: string, near: boolean): void {
  const held = useVisibleLanes.getState();
  if (near !== (held[name] ?? false))
    useVisibleLanes.setState(near ? { ...held, [name]: true } : omitKey(held, name), true);
}

/** Whether a lane is in or near the viewport. */
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

/** The lanes to follow: visible ones first, then those of selected nodes. */
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

/** The lanes of the overview: all if they fit, else the first visible ones. */
export function selectOverviewLanes<One extends Named>(
  all: readonly One[],
  near: Readonly<Record<string, true>>,
): readonly One[] {
  if (all.length <= MAX_OVERVIEW_LANES) return all;
  const seen = all.filter(({ name }) => near[name]);
  return (seen.length > 0 ? seen : all).slice(0, MAX_OVERVIEW_LANES);
}
