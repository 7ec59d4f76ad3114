/** What stands beside the canvas makes it narrower: what it is about is brought into view after that. */
import { useEffect } from "react";

/** Do it once the canvas has its new size; the answer ends that. */
export function onceDrawn(canvas: Element, act: () => void): () => void {
  let frame = 0;
  // The first answer comes with the new size; the canvas, which watched its own before, knows it by then.
  const watch = new ResizeObserver(() => {
    watch.disconnect();
    frame = requestAnimationFrame(act);
  });
  watch.observe(canvas);
  return () => {
    watch.disconnect();
    cancelAnimationFrame(frame);
  };
}

/** Do it, which does not change by itself, as soon as the canvas is drawn in its new size; null: nothing. */
export function useBeside(act: (() => void) | null): void {
  useEffect(() => {
    const canvas = document.querySelector(".canvas");
    return act && canvas ? onceDrawn(canvas, act) : undefined;
  }, [act]);
}
