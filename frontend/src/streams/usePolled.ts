import { useCallback, useEffect, useState } from "react";
import { inWords } from "../api/client";
import type { Loaded } from "../ui/useLoaded";

/** What `fetch` answers, asked anew every so often while the page is seen. */
export function usePolled<T>(fetch: () => Promise<T>, everyMs: number): Loaded<T> {
  const [value, setValue] = useState<T | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let current = true;
    let timer = 0;
    const ask = () => {
      window.clearTimeout(timer);
      if (document.hidden) return;
      fetch()
        .then(
          (answer) => {
            if (!current) return;
            setValue(answer);
            setFailure(null);
          },
          (error: unknown) => {
            if (current) setFailure(inWords(error));
          },
        )
        .finally(() => {
          window.clearTimeout(timer);
          if (current) timer = window.setTimeout(ask, everyMs);
        });
    };
    ask();
    document.addEventListener("visibilitychange", ask);
    return () => {
      current = false;
      window.clearTimeout(timer);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [fetch, everyMs, turn]);
  const again = useCallback(() => setTurn((n) => n + 1), []);
  return { value, failure, again };
}
