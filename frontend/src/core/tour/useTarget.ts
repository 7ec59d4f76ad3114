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

/** The same boxes in the same places: nothing has to be placed anew. */
export const areSame = (a: readonly Box[], b: readonly Box[]): boolean =>
  a.length === b.length && a.every((box, i) => isSame(box, b[i] ?? null));

/** Where all of these are on the screen now. */
function boxesOf(selectors: readonly string[]): Box[] {
  return selectors.flatMap((selector) => boxOf(selector) ?? []);
}

/** What a step points at, and what its words may not lie over. */
interface Target {
  box: Box | null;
  spared: readonly Box[];
}

/** Where the target of a step and what it spares are on the screen, followed while they move; the target is brought into view once. */
export function useTarget(selector: string, look: () => void, spare: readonly string[]): Target {
  const [seen, setSeen] = useState<Target>({ box: null, spared: [] });
  useEffect(() => {
    let begun = false;
    const follow = () => {
      const box = boxOf(selector);
      if (box && !begun) {
        begun = true;
        document.querySelector(selector)?.scrollIntoView({ block: "nearest" });
      }
      const spared = boxesOf([".masthead", ...spare]);
      setSeen((before) =>
        isSame(before.box, box) && areSame(before.spared, spared) ? before : { box, spared },
      );
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
  }, [selector, look, spare]);
  return seen;
}
