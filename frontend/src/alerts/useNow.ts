import { useEffect, useState } from "react";

const TICK_MS = 1000;

/** The wall clock, microseconds, every second. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now() * 1000);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now() * 1000), TICK_MS);
    return () => window.clearInterval(timer);
  }, []);
  return now;
}
