import { useCallback, useEffect, useState } from "react";
import { describeError, isMissing } from "../api/client";

export interface Loaded<T> {
  value: T | null;
  failure: string | null;
  again: () => void;
}

/** What `fetch` answers, and why it did not; `again` asks anew and keeps showing what there is. */
export function useLoaded<T>(fetch: () => Promise<T>): Loaded<T> {
  const [value, setValue] = useState<T | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let current = true;
    fetch().then(
      (answer) => {
        if (!current) return;
        setValue(answer);
        setFailure(null);
      },
      (error: unknown) => {
        if (!current) return;
        // What is not there (any more) is not shown any longer.
        if (isMissing(error)) setValue(null);
        setFailure(describeError(error));
      },
    );
    return () => {
      current = false;
    };
  }, [fetch, turn]);
  const again = useCallback(() => setTurn((n) => n + 1), []);
  return { value, failure, again };
}
