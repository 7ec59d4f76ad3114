import type { Wrong } from "./problems";

/** What cannot be understood, marked at its place, and what helps. */
export function Problems({ id, wrong }: { id?: string; wrong: readonly Wrong[] }) {
  return (
    <div id={id} className="search-problems" role="alert" data-testid="search-problems">
      {wrong.map((one, i) => (
        <p key={i}>
          <span className="code" aria-hidden="true">
            {one.before}
            <mark>{one.wrong === "" ? " " : one.wrong}</mark>
            {one.after}
          </span>
          <span>
            <b className="bad">{one.message}</b> {one.hint}
          </span>
        </p>
      ))}
    </div>
  );
}
