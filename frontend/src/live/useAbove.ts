import { useLayoutEffect, useRef, type RefObject } from "react";

/** What stands below its place stands above it where the window ends; looked at whenever it is drawn. */
export function useAbove(): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const around = place.current?.offsetParent;
    if (!place.current || !around) return;
    const bottom = around.getBoundingClientRect().bottom + place.current.offsetHeight;
    place.current.classList.toggle("above", bottom > window.innerHeight);
  });
  return place;
}
