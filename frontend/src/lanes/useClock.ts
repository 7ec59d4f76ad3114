import { useEffect, useState, useSyncExternalStore } from "react";
import { wallClock } from "./store";

const TICK_MS = 1000;

/** The wall clock in microseconds, once a second while the page is seen. */
export function useClock(): number {
  const [now, setNow] = useState(wallClock);
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!document.hidden) setNow(wallClock());
    }, TICK_MS);
    return () => window.clearInterval(timer);
  }, []);
  return now;
}

const darkness = (): MediaQueryList => window.matchMedia("(prefers-color-scheme: dark)");

function onSchemeChange(listen: () => void): () => void {
  const query = darkness();
  query.addEventListener("change", listen);
  return () => query.removeEventListener("change", listen);
}

export function useDark(): boolean {
  return useSyncExternalStore(onSchemeChange, () => darkness().matches);
}
