import type { Guess } from "../core/api/streams";
import { describeConfidence } from "./draft";
import { fieldsOfKey } from "./key";

export function Sureness({ confidence }: { confidence: number }) {
  const word = describeConfidence(confidence);
  return <b className={`sureness ${word}`}>{word}</b>;
}

const inWords = (value: string) => (value === "" ? "none" : fieldsOfKey(value).join(" and "));

interface Props {
  guess: Guess | undefined;
  /** What stands in the field now. */
  value: string;
  take: (value: string) => void;
}

/** Why the server guessed so, how sure it is, and what else could be meant. */
export function GuessNote({ guess, value, take }: Props) {
  if (!guess) return null;
  const guessed = guess.value ?? "";
  const others = guess.alternatives.filter((alternative) => alternative.value !== value);
  const offers = guessed === value ? others : [{ value: guessed, why: guess.why }, ...others];
  return (
    <div className="guess" data-testid={`guess-${guess.what}`}>
      {guessed === value ? (
        <p>
          <Sureness confidence={guess.confidence} /> {guess.why}
        </p>
      ) : (
        <p>
          <b className="sureness">edited</b> The sample says {inWords(guessed)}.
        </p>
      )}
      {offers.length > 0 && (
        <p className="row offers">
          <span className="faint">or</span>
          {offers.map((offer) => (
            <button key={offer.value} type="button" title={offer.why} onClick={() => take(offer.value)}>
              {inWords(offer.value)}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}
