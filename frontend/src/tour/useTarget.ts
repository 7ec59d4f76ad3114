import { useEffect, useState } from "react";
import type { Box } from "./place";

const EVERY_MS = 200;

function boxOf(selector: string): Box | null {
  const found = document.querySelector(selector);
  if (!found) return null;
  const { left, top, width, height } = found.getBoundingClientRect();
  return width > 0 && height > 0 ? { left, top, width, height } : null;
}

const isSame = (a: Box | null, b: Box | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.left === b.left &&
    a.top === b.top &&
    a.width === b.width &&
    a.height === b.height);

/** Where all of these are on the screen now. */
export function boxesOf(selectors: readonly string[]): Box[] {
  return selectors.flatMap((one) => boxOf(one) ?? []);
}

/** Where the target of a step is on the screen, followed while it moves; it is brought into view once. */
export function useTarget(selector: string, look: () => void): Box | null {
  const [box, setBox] = useState<Box | null>(null);
  useEffect(() => {
    let seen = false;
    const follow = () => {
      const found = boxOf(selector);
      if (found && !seen) {
        seen = true;
        document.querySelector(selector)?.scrollIntoView({ block: "nearest" });
      }
      setBox((before) => (isSame(before, found) ? before : found));
      look();
    };
    follow();
    const timer = window.setInterval(follow, EVERY_MS);
    window.addEventListener("scroll", follow, true);
    window.addEventListener("resize", follow);
    return () => {
      window.clearInterval(timer);
      window.removeEventListener("scroll", follow, true);
      window.removeEventListener("resize", follow);
    };
  }, [selector, look]);
  return box;
}
