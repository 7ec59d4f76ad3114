import { useLayoutEffect, useRef, type ReactNode } from "react";
import { sheets } from "./renderedWindow";
import type { Window } from "../timechart/window";

interface Props {
  /** What is on it was placed for this window. */
  window: Window;
  children: ReactNode;
}

/** What is placed for one window, and moved along while another is seen. */
export function Sheet({ window, children }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (place.current) sheets.drawn(place.current, window);
  }, [window]);
  useLayoutEffect(() => {
    const element = place.current;
    return () => (element ? sheets.forget(element) : undefined);
  }, []);
  return (
    <div className="lane-sheet" ref={place}>
      {children}
    </div>
  );
}
