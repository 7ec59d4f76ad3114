import { useEffect, useState } from "react";
import { ApiError, describeError } from "../core/api/client";
import { streamApi, type GivenRule, type Guessed, type StatedDeclaration } from "../core/api/streams";
import { cutForGuess, type Sample } from "./sample";

const AFTER_MS = 300;
const OF_ENCODING = ["unknown_encoding", "bad_encoding", "not_encoding", "not_utf8"];

export interface Guessing {
  guessed: Guessed | null;
  failure: string | null;
  /** Whether a stated encoding may help where it failed. */
  lacksEncoding: boolean;
}

const NOTHING: Guessing = { guessed: null, failure: null, lacksEncoding: false };

const isOfEncoding = (error: unknown): boolean =>
  error instanceof ApiError && error.problems.some(({ code }) => OF_ENCODING.includes(code));

/** What the sample says, asked anew whenever a person says something; an answer that is overtaken is dropped. */
export function useGuess(
  sample: Sample | null,
  said: StatedDeclaration,
  mapping: readonly GivenRule[],
  answered: (guessed: Guessed) => void,
): Guessing {
  const [guessing, setGuessing] = useState<Guessing>(NOTHING);
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
            setGuessing({ ...NOTHING, guessed });
            answered(guessed);
          },
          (error: unknown) =>
            current &&
            setGuessing((before) => ({
              ...before,
              failure: describeError(error),
              lacksEncoding: isOfEncoding(error),
            })),
        );
    }, AFTER_MS);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
    // `answered` only takes the answer: a new one asks nothing.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [sample, question]);
  return sample === null ? NOTHING : guessing;
}
