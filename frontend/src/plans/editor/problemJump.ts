/** Going from problem to problem: the node comes into view, and its field has the keyboard. */
import type { Problem } from "../../core/api/types";
import { showNode } from "./edits";
import { focusField } from "./panels";
import { get, problemsOf, set } from "./store";

let at: Problem | null = null;

/** Show a problem where it is. */
export function showProblem(problem: Problem): void {
  at = problem;
  if (problem.node !== null) showNode(problem.node);
  if (problem.node !== null && problem.port !== null) focusField(problem.port);
}

function alike(problem: Problem, other: Problem | null): boolean {
  return (
    other !== null &&
    problem.node === other.node &&
    problem.port === other.port &&
    problem.code === other.code
  );
}

/** The next problem, or with -1 the one before; after the last comes the first. */
export function jumpToProblem(by: 1 | -1): void {
  const problems = problemsOf(get());
  if (problems.length === 0) return;
  const now = problems.findIndex((one) => alike(one, at));
  const next = now < 0 ? (by > 0 ? 0 : problems.length - 1) : (now + by + problems.length) % problems.length;
  const problem = problems[next] as Problem;
  showProblem(problem);
  const words = `Problem ${next + 1} of ${problems.length}: ${problem.message} ${problem.hint ?? ""}`.trim();
  set({ notice: { tone: "bad", text: words } });
}
