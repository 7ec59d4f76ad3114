import { useEffect, useState } from "react";
import { createAsker, type AnswerState } from "./latestAnswer";

/** The answer to a question that changes while somebody types; null asks nothing. */
export function useLatestAnswer<Q, A>(
  question: Q | null,
  fetch: (question: Q, signal: AbortSignal) => Promise<A>,
): AnswerState<Q, A> {
  const [state, setTold] = useState<AnswerState<Q, A>>({
    question: null,
    answer: null,
    error: null,
    busy: false,
  });
  const [one] = useState(() =>
    createAsker<Q, A>(fetch, (more) => setTold((before) => ({ ...before, ...more }))),
  );
  const key = JSON.stringify(question);
  useEffect(() => {
    const asked = JSON.parse(key) as Q | null;
    if (asked !== null) one.ask(asked);
    return one.end;
  }, [key, one]);
  return question === null ? { ...state, busy: false } : state;
}
