import { describeEndedTokens } from "./endedTokens";

interface Props {
  name: string;
  password: string;
  /** How many tokens of the person ended with the old password. */
  tokensEnded?: number;
  done: () => void;
}

/** A password that is shown once. */
export function OneTimePasswordCard({ name, password, tokensEnded = 0, done }: Props) {
  return (
    <section className="card" data-testid="one-time" aria-label="One-time password">
      <h2>The password of {name}, for one login</h2>
      <p>It is shown only here. Send it to {name}, who chooses another one at the first login.</p>
      {tokensEnded > 0 && <p>{describeEndedTokens(tokensEnded, name)}</p>}
      <pre className="code one-time" data-testid="password">
        {password}
      </pre>
      <button type="button" onClick={done}>
        I’ve copied it
      </button>
    </section>
  );
}
