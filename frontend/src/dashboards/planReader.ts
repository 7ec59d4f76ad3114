/** Reads the plan that was chosen for a chart: until it is there, it is said which it will be. */
import { describeError } from "../core/api/client";

export interface Read<A> {
  known: A;
  /** The name of the plan that is being read; null: none is. */
  pending: string | null;
  /** Why it could not be read. */
  failure: string | null;
}

type Tell<A> = (change: Partial<Read<A>>) => void;

/** The last choice counts, also where an earlier one is answered after it. */
export function createPlanReader<A>(
  read: (id: number) => Promise<A>,
  tell: Tell<A>,
  then: (known: A) => void,
) {
  let turns = 0;
  return ({ id, title }: { id: string; title: string }): Promise<void> => {
    const turn = (turns += 1);
    tell({ pending: title, failure: null });
    return read(Number(id)).then(
      (known) => {
        if (turn !== turns) return;
        tell({ known, pending: null });
        then(known);
      },
      (error: unknown) => {
        if (turn === turns) tell({ pending: null, failure: describeError(error) });
      },
    );
  };
}
