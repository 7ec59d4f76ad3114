/** How the page's connection is, for what shows it. */
import { useEffect, useState } from "react";
import type { State } from "./connection";
import { getConnection } from "./pageConnection";

/** Shorter than that nobody need hear of it: a page that is just opened, or a tab that is seen again, connects at once. */
const BRIEF_MS = 500;

export function useConnection(): State {
  const [state, setState] = useState<State>(() => getConnection().state);
  useEffect(() => getConnection().observe(setState), []);
  return state;
}

/** Since when nothing is heard, microseconds: what is shown is as of then; null while all comes live. */
export function useLostAt(): number | null {
  const lost = useConnection() !== "open";
  const [since, setSince] = useState<number | null>(null);
  useEffect(() => {
    const timer = window.setTimeout(
      () => setSince(lost ? getConnection().lostAt : null),
      lost ? BRIEF_MS : 0,
    );
    return () => window.clearTimeout(timer);
  }, [lost]);
  return since;
}
