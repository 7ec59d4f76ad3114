import { useCallback, useEffect, useState } from "react";
import { describeError, isMissing } from "../api/client";
import type { Loaded } from "./useLoaded";

interface Polled<T> extends Loaded<T> {
  /** It is not there any more; `value` is how it was last. */
  gone: boolean;
}

/** What `fetch` answers, asked anew every so often while the page is seen. */
export function usePolled<T>(fetch: () => Promise<T>, everyMs: number): Polled<T> {
  const [value, setValue] = useState<T | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [gone, setGone] = useState(false);
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
            setGone(false);
          },
          (error: unknown) => {
            if (!current) return;
            setFailure(describeError(error));
            setGone(isMissing(error));
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
  return { value, failure, gone, again };
}
