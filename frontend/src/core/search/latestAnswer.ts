/** Requests once typing pauses, and reports only the answer to the last question; older requests are aborted. */

export interface AnswerState<Q, A> {
  /** The question of the answer or the failure. */
  question: Q | null;
  answer: A | null;
  error: unknown;
  /** Whether a newer request is open. */
  busy: boolean;
}

export interface Asker<Q> {
  ask: (question: Q, afterMs?: number) => void;
  end: () => void;
}

export const AFTER_MS = 150;

export function createAsker<Q, A>(
  fetch: (question: Q, signal: AbortSignal) => Promise<A>,
  tell: (told: Partial<AnswerState<Q, A>>) => void,
): Asker<Q> {
  let going = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    going.abort();
  };
  const ask = (question: Q, afterMs = AFTER_MS) => {
    end();
    const mine = (going = new AbortController());
    tell({ busy: true });
    timer = setTimeout(() => {
      fetch(question, mine.signal).then(
        (answer) => {
          if (!mine.signal.aborted) tell({ question, answer, error: null, busy: false });
        },
        (error: unknown) => {
          if (!mine.signal.aborted) tell({ question, answer: null, error, busy: false });
        },
      );
    }, afterMs);
  };
  return { ask, end };
}
