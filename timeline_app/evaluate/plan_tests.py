"""Running the tests of a plan: what each expects of a sample, compared with what the plan says now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from timeline_app.compiler import Compiled
from timeline_app.compiler.partial import Part
from timeline_app.evaluate.engine import fields_of, required_nodes
from timeline_app.evaluate.expectations import Expectation
from timeline_app.evaluate.expected import Difference, find_differences
from timeline_app.evaluate.pieces import of_points
from timeline_app.evaluate.tables import CURE, EventTable, missing_arrivals
from timeline_app.evaluate.trial import Budget, TooMuch, Trial, check_streams
from timeline_app.evaluate.warnings import UNREAD_FIELD, list_warnings
from timeline_app.evaluate.why import nodes_below
from timeline_app.problems.problem import Problem, nearest

Status = Literal["passed", "failed", "broken", "empty"]
STATUSES: tuple[str, ...] = get_args(Status)
MOST_SHOWN = 100
"""So many differences of a test are told."""


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
            return f"{first.message}; {first.cure}" if first.cure else first.message
        if not self.differences:
            return "expects nothing yet: take what a node says, or paint it" if self.empty else "as expected"
        wanted, first_one = self.differences[0]
        more = len(self.differences) - 1
        return first_one.words(wanted.node, wanted.key) + (f", and {more:,} more" if more else "")

    def document(self) -> dict[str, Any]:
        """As JSON."""
        told = [
            {"node": one.node, "key": one.key, **diff.document(), "words": diff.words(one.node, one.key)}
            for one, diff in self.differences[:MOST_SHOWN]
        ]
        return {
            "status": self.status,
            "words": self.words,
            "renamed": self.renamed,
            "count": len(self.differences),
            "differences": told,
        }


def run_test(
    part: Part, tables: Mapping[str, EventTable], expected: Sequence[Expectation], budget: Budget
) -> Outcome:
    """Compute what the expectations speak of, and compare."""
    outcome = Outcome(empty=not any(one.pieces for one in expected))
    here = [one for one in expected if _there(part, one, outcome)]
    wrong = _unfit(part.compiled, tables, [one.node for one in here]) if here else []
    outcome.problems.extend(
        _problem(None, "no_events", f"the sample does not fit: {one}", "") for one in wrong
    )
    if not here or wrong:
        return outcome
    below = {name for one in here for name in nodes_below(part.compiled, one.node)}
    said = list_warnings(part.compiled, tables, below)
    outcome.warnings.extend(one for one in said if one.code != UNREAD_FIELD)
    try:
        trial = Trial.of(part.compiled, tables, [one.node for one in here], budget)
    except TooMuch as why:
        outcome.problems.append(_problem(None, "too_much", str(why), ""))
        return outcome
    for one in here:
        _compare(trial, one, outcome)
    return outcome


def _unfit(compiled: Compiled, tables: Mapping[str, EventTable], nodes: Sequence[str]) -> list[str]:
    """What is wrong with the events of a sample, for the plan and for these nodes of it."""
    fields = fields_of(compiled, required_nodes(compiled, {compiled.names[name] for name in nodes}))
    deaf = [f"{words}; {CURE}" for words in missing_arrivals(tables, fields).values()]
    return [*check_streams(compiled, tables), *deaf]


def _there(part: Part, one: Expectation, outcome: Outcome) -> bool:
    """Whether the node can be computed; else the outcome says why not."""
    names = part.compiled.names
    if one.node in names:
        return True
    if any(problem.node == one.node for problem in outcome.problems):
        return False
    if one.node in part.left_out:
        why = part.left_out[one.node]
        outcome.problems.append(
            _problem(one.node, "node_has_problem", f"node {one.node}: {why.message}", why.cure)
        )
        return False
    now = sorted(name for name, digest in names.items() if digest == one.digest)
    if now:
        outcome.renamed[one.node] = now[0]
        message = f"node {one.node} is now called {now[0]}"
        outcome.problems.append(
            _problem(one.node, "node_renamed", message, "take the new name into the test")
        )
    else:
        message = f"node {one.node} is no longer in the plan"
        cure = f"{nearest(one.node, names)} Else take it out of the test".strip()
        outcome.problems.append(_problem(one.node, "node_gone", message, cure))
    return False


def _compare(trial: Trial, one: Expectation, outcome: Outcome) -> None:
    points = trial.timeline(one.node, one.key)
    if points is None:
        message = f"node {one.node} has no key {one.key} on this sample"
        outcome.problems.append(
            _problem(one.node, "no_key", message, "take it out of the test, or record again")
        )
        return
    found = find_differences(one.pieces, of_points(points), one.tolerance, one.slack)
    outcome.differences.extend((one, difference) for difference in found)


def _problem(node: str | None, code: str, message: str, cure: str) -> Problem:
    return Problem(node, None, code, message, cure)
