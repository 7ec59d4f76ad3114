import { FIELDS, STATES } from "./language";

/** The whole language, shortly. */
export function Help() {
  return (
    <details className="search-help" data-testid="search-help">
      <summary>Search syntax</summary>
      <dl>
        {FIELDS.map(({ name, example, words }) => (
          <div key={name}>
            <dt className="code">{example}</dt>
            <dd>{name === "is" ? `${STATES.map(({ value }) => `is:${value}`).join(", ")}` : words}</dd>
          </div>
        ))}
        <div>
          <dt className="code">-owner:me</dt>
          <dd>anything but that</dd>
        </div>
        <div>
          <dt className="code">&quot;two words&quot;</dt>
          <dd>with a blank in it; all words must hold</dd>
        </div>
      </dl>
    </details>
  );
}
