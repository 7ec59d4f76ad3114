"""Running the tests of a plan: what each expects of a sample, compared with what the plan says now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from timeline_app.compiler import Compiled
from timeline_app.compiler.partial import Part
from timeline_app.evaluate.engine import list_fields, list_required_nodes
from timeline_app.evaluate.expectations import Expectation
from timeline_app.evaluate.expected import Difference, find_differences
from timeline_app.evaluate.pieces import build_from_points
from timeline_app.evaluate.tables import NO_ARRIVAL_HINT, EventTable, find_missing_arrivals
from timeline_app.evaluate.trial import Budget, TooMuch, Trial, check_streams
from timeline_app.evaluate.warnings import UNREAD_FIELD, list_warnings
from timeline_app.evaluate.why import list_nodes_below
from timeline_app.problems.problem import Problem, suggest_nearest

Status = Literal["passed", "failed", "broken", "empty"]
STATUSES: tuple[str, ...] = get_args(Status)
MAX_DIFFERENCES_SHOWN = 100
"""For each test."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one test. It is broken where it cannot be compared; `renamed` gives new names of nodes by old."""

    differences: list[tuple[Expectation, Difference]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    empty: bool = False

    @property
    def status(self) -> Status:
        """Passed, failed or broken; one that asks for nothing is empty, and has not passed."""
        if self.problems:
            return "broken"
        return "failed" if self.differences else "empty" if self.empty else "passed"

    @property
    def words(self) -> str:
        """One sentence."""
        if self.problems:
            first = self.problems[0]
            return f"{first.message}; {first.hint}" if first.hint else first.message
        if not self.differences:
            return "expects nothing yet: take what a node says, or paint it" if self.empty else "as expected"
        expected, first_one = self.differences[0]
        more = len(self.differences) - 1
        return first_one.words(expected.node, expected.key) + (f", and {more:,} more" if more else "")

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        differences = [
            {
                "node": expectation.node,
                "key": expectation.key,
                **diff.document(),
                "words": diff.words(expectation.node, expectation.key),
            }
            for expectation, diff in self.differences[:MAX_DIFFERENCES_SHOWN]
        ]
        return {
            "status": self.status,
            "words": self.words,
            "renamed": self.renamed,
            "count": len(self.differences),
            "differences": differences,
        }


def run_test(
    part: Part, tables: Mapping[str, EventTable], expected: Sequence[Expectation], budget: Budget
) -> Outcome:
    """Compute what the expectations speak of, and compare."""
    outcome = Outcome(empty=not any(expectation.pieces for expectation in expected))
    here = [expectation for expectation in expected if _is_computable(part, expectation, outcome)]
    unfit = (
        _find_unfit_events(part.compiled, tables, [expectation.node for expectation in here]) if here else []
    )
    outcome.problems.extend(
        _build_problem(None, "no_events", f"the sample does not fit: {expectation}", "")
        for expectation in unfit
    )
    if not here or unfit:
        return outcome
    below = {name for expectation in here for name in list_nodes_below(part.compiled, expectation.node)}
    warnings = list_warnings(part.compiled, tables, below)
    outcome.warnings.extend(expectation for expectation in warnings if expectation.code != UNREAD_FIELD)
    try:
        trial = Trial.prepare(part.compiled, tables, [expectation.node for expectation in here], budget)
    except TooMuch as why:
        outcome.problems.append(_build_problem(None, "too_much", str(why), ""))
        return outcome
    for expectation in here:
        _compare(trial, expectation, outcome)
    return outcome


def _find_unfit_events(
    compiled: Compiled, tables: Mapping[str, EventTable], nodes: Sequence[str]
) -> list[str]:
    """Return what makes the events of a sample unfit for the plan and these nodes."""
    fields = list_fields(compiled, list_required_nodes(compiled, {compiled.names[name] for name in nodes}))
    deaf = [f"{words}; {NO_ARRIVAL_HINT}" for words in find_missing_arrivals(tables, fields).values()]
    return [*check_streams(compiled, tables), *deaf]


def _is_computable(part: Part, expectation: Expectation, outcome: Outcome) -> bool:
    """Return whether the node can be computed; else the outcome says why not."""
    names = part.compiled.names
    if expectation.node in names:
        return True
    if any(problem.node == expectation.node for problem in outcome.problems):
        return False
    if expectation.node in part.left_out:
        why = part.left_out[expectation.node]
        outcome.problems.append(
            _build_problem(
                expectation.node, "node_has_problem", f"node {expectation.node}: {why.message}", why.hint
            )
        )
        return False
    now = sorted(name for name, digest in names.items() if digest == expectation.digest)
    if now:
        outcome.renamed[expectation.node] = now[0]
        message = f"node {expectation.node} is now called {now[0]}"
        outcome.problems.append(
            _build_problem(expectation.node, "node_renamed", message, "take the new name into the test")
        )
    else:
        message = f"node {expectation.node} is no longer in the plan"
        hint = f"{suggest_nearest(expectation.node, names)} Else take it out of the test".strip()
        outcome.problems.append(_build_problem(expectation.node, "node_gone", message, hint))
    return False


def _compare(trial: Trial, expectation: Expectation, outcome: Outcome) -> None:
    points = trial.timeline(expectation.node, expectation.key)
    if points is None:
        message = f"node {expectation.node} has no key {expectation.key} on this sample"
        outcome.problems.append(
            _build_problem(expectation.node, "no_key", message, "take it out of the test, or record again")
        )
        return
    differences = find_differences(
        expectation.pieces, build_from_points(points), expectation.tolerance, expectation.slack
    )
    outcome.differences.extend((expectation, difference) for difference in differences)


def _build_problem(node: str | None, code: str, message: str, hint: str) -> Problem:
    return Problem(node, None, code, message, hint)
