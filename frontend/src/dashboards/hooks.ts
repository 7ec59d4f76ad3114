/** What charts have in common: what they listen to while they are seen, and values ten times a second. */
import { createContext, useContext, useEffect, useMemo, useState, type RefObject } from "react";
import { DARK, LIGHT, type Theme } from "../timechart/colours";
import type { Window } from "../timechart/window";
import { useDark } from "../core/ui/theme";
import { onFrame, windowOf } from "./clock";
import type { Listener } from "./feeds";
import { get, useBoard } from "./store";
import { neededFrom } from "./time";

/** The size of the type in charts, pixels. */
export const TypeSize = createContext(11);

export const useTypeSize = (): number => useContext(TypeSize);
export const useTheme = (): Theme => (useDark() ? DARK : LIGHT);

interface Feedish {
  need?(stretch: Window, who: object): void;
  forget?(who: object): void;
  listen(listener: Listener): () => void;
}

/** Whether an element is on the screen, or nearly. */
export function useSeen(place: RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => setSeen(entries.some((entry) => entry.isIntersecting)),
      { rootMargin: "64px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return seen;
}

/** Listen while it is wanted; `earlier` microseconds before the window are needed as well. */
export function useFollow(feeds: readonly Feedish[], wanted: boolean, earlier = 0): void {
  useEffect(() => {
    if (!wanted) return;
    const who = {};
    const need = () => {
      const window = windowOf(get());
      const stretch = { start: neededFrom(window) - earlier, end: window.end };
      for (const feed of feeds) feed.need?.(stretch, who);
    };
    need();
    const ends = feeds.map((feed) => feed.listen(() => undefined));
    const end = onFrame(need);
    return () => {
      [...ends, end].forEach((one) => one());
      for (const feed of feeds) feed.forget?.(who);
    };
  }, [feeds, wanted, earlier]);
}

/** What `compute` says, looked at in every frame and whenever the view changes; React hears of it only when it is different. */
export function useLive<T>(compute: () => T): T {
  const [told, setTold] = useState<{ compute: () => T; value: T }>(() => ({ compute, value: compute() }));
  useEffect(() => {
    let words: string | null = null;
    const look = () => {
      const value = compute();
      const said = JSON.stringify(value);
      if (said === words) return;
      words = said;
      setTold({ compute, value });
    };
    look();
    const ends = [onFrame(look), useBoard.subscribe(look)];
    return () => ends.forEach((end) => end());
  }, [compute]);
  return useMemo(() => (told.compute === compute ? told.value : compute()), [told, compute]);
}
