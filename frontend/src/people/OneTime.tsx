/** A password that is shown once. */
export function OneTime({ name, password, done }: { name: string; password: string; done: () => void }) {
  return (
    <section className="card" data-testid="one-time" aria-label="One-time password">
      <h2>The password of {name}, for one login</h2>
      <p>It is shown only here. Tell it to {name}, who chooses another one at the first login.</p>
      <pre className="code one-time" data-testid="password">
        {password}
      </pre>
      <button type="button" onClick={done}>
        I have it
      </button>
    </section>
  );
}
