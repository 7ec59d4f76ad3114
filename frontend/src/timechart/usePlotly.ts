import { useEffect, useRef, type RefObject } from "react";
import type { Plotly } from "./plotly";

/**
 * Plotly's drawing in a place: it follows the size of the place, and is taken away with it. Whoever draws puts into the answer what
 * it drew with.
 */
export function usePlotly(
  place: RefObject<HTMLElement | null>,
  forget?: (element: HTMLElement) => void,
): RefObject<Plotly | null> {
  const library = useRef<Plotly | null>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const sizes = new ResizeObserver(() => library.current?.Plots.resize(element));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      forget?.(element);
      library.current?.purge(element);
      library.current = null;
    };
  }, [place, forget]);
  return library;
}
