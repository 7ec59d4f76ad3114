import { showProblem } from "./problemJump";
import { problemsOf, useStudio } from "./store";
import type { Problem } from "../api/types";

function Row({ problem }: { problem: Problem }) {
  const place = [problem.node, problem.port].filter(Boolean).join(" · ");
  return (
    <li>
      <button type="button" disabled={!problem.node} onClick={() => showProblem(problem)}>
        <span className={`dot ${problem.severity === "warning" ? "amber" : "red"}`} aria-hidden="true" />
        {place && <b>{place}</b>} {problem.message} <span className="faint">{problem.cure}</span>
      </button>
    </li>
  );
}

export function Problems() {
  const problems = useStudio(problemsOf);
  const failure = useStudio((state) => state.checkFailure);
  return (
    <section className="problems" data-testid="problems" aria-label="Problems">
      <h2>
        Problems <span className="faint">{problems.length}</span>
      </h2>
      {failure && <p className="bad">{failure}</p>}
      {problems.length === 0 && !failure && <p className="faint">None.</p>}
      <ul>
        {problems.map((problem, i) => (
          <Row key={`${problem.node}.${problem.port}.${problem.code}.${i}`} problem={problem} />
        ))}
      </ul>
    </section>
  );
}
