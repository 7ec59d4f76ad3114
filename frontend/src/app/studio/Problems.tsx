import { showView } from "../../plans/text/store";
import { showProblem } from "../../plans/editor/problemJump";
import { get, problemsOf, useStudio } from "../../plans/editor/store";
import { showPlace } from "../../plans/editor/typing";
import type { Problem } from "../../core/api/types";
import { Failure } from "../../core/ui/Failure";

/** To the place in the text that cannot be read, else to the node. */
function show(problem: Problem): void {
  const { unread } = get();
  if (unread === null) return showProblem(problem);
  if (!showPlace(problem.line ?? 1, problem.column ?? 1)) showView(unread.view);
}

function Row({ problem, unread }: { problem: Problem; unread: boolean }) {
  const place = unread
    ? `line ${problem.line ?? 1}, column ${problem.column ?? 1}`
    : [problem.node ?? problem.stream, problem.node && problem.port].filter(Boolean).join(" · ");
  return (
    <li>
      <button type="button" disabled={!problem.node && !unread} onClick={() => show(problem)}>
        <span className={`dot ${problem.severity === "warning" ? "amber" : "red"}`} aria-hidden="true" />
        <span>
          {place && <b>{place}</b>}
          <span>{problem.message}</span>
          <small className="faint">{problem.hint}</small>
        </span>
      </button>
    </li>
  );
}

export function Problems() {
  const found = useStudio(problemsOf);
  const unread = useStudio((state) => state.unread);
  const problems = unread ? unread.problems : found;
  const failure = useStudio((state) => state.checkFailure);
  return (
    <section className="problems" data-testid="problems" aria-label="Problems">
      <h2>
        Problems <span className="faint">{problems.length}</span>
      </h2>
      <Failure words={failure} />
      {problems.length === 0 && !failure && <p className="faint">None.</p>}
      <ul>
        {problems.map((problem, i) => (
          <Row
            key={`${problem.node}.${problem.port}.${problem.code}.${i}`}
            problem={problem}
            unread={unread !== null}
          />
        ))}
      </ul>
    </section>
  );
}
