import { useEffect, useState } from "react";
import { describeError } from "../core/api/client";
import { streamApi, type GivenRule, type Guessed, type StatedDeclaration } from "../core/api/streams";
import { cutForGuess, type Sample } from "./sample";

const AFTER_MS = 300;

export interface Guessing {
  guessed: Guessed | null;
  failure: string | null;
}

/** What the sample says, asked anew whenever a person says something; an answer that is overtaken is dropped. */
export function useGuess(
  sample: Sample | null,
  said: StatedDeclaration,
  mapping: readonly GivenRule[],
  answered: (guessed: Guessed) => void,
): Guessing {
  const [guessing, setGuessing] = useState<Guessing>({ guessed: null, failure: null });
  const question = JSON.stringify([said, mapping]);
  useEffect(() => {
    if (sample === null) return;
    let current = true;
    const timer = window.setTimeout(() => {
      cutForGuess(sample.body)
        .then((body) => streamApi.guess(body, ...(JSON.parse(question) as [StatedDeclaration, GivenRule[]])))
        .then(
          (guessed) => {
            if (!current) return;
            setGuessing({ guessed, failure: null });
            answered(guessed);
          },
          (error: unknown) =>
            current && setGuessing((before) => ({ ...before, failure: describeError(error) })),
        );
    }, AFTER_MS);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
    // `answered` only takes the answer: a new one asks nothing.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [sample, question]);
  return sample === null ? { guessed: null, failure: null } : guessing;
}
