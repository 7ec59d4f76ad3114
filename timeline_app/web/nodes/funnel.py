"""The funnel of a sequence: how many keys reached each step, how long it took, and which keys stopped where.

It is computed from the revision log, so it agrees with the lanes. The cost is bounded (`funnel_log`), and the answer
says if some keys are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from timeline_app.algebra.fold_columns import fold_columns
from timeline_app.algebra.funnels import FunnelRuns, outcomes_of, runs_of_changes
from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND, Ints
from timeline_app.algebra.sequences import Rules
from timeline_app.compiler import parse_program
from timeline_app.operators.sequence import rules_of_sequence
from timeline_app.operators.steps import OUTCOMES
from timeline_app.web.core.errors import Invalid
from timeline_app.web.models import Node, NodeKey
from timeline_app.web.nodes.freshness import read_known_until
from timeline_app.web.nodes.funnel_log import read_funnel_log

Document = dict[str, Any]
COUNTS = KEYS, RUNS = ("keys", "runs")


class PagePlace(NamedTuple):
    """Where a page of stopped keys begins: after the key (a row of `NodeKey`) that stopped at this time."""

    time: int
    key: int


@dataclass(frozen=True, slots=True)
class FunnelQuestion:
    """Runs that began from `start` (None: ever) to `end`, in microseconds; what counts; which page of stopped keys."""

    start: int | None
    end: int
    count: str = KEYS
    step: str | None = None
    after: PagePlace | None = None
    limit: int = 100


class SequenceSteps(NamedTuple):
    """The names of the steps of a sequence, and its rules."""

    names: Sequence[str]
    rules: Rules

    @property
    def words(self) -> list[str]:
        """Return the sequence's values in the order of their codes."""
        return ["none", *self.names[:-1], *OUTCOMES]


def read_funnel(node: Node, question: FunnelQuestion) -> tuple[Document, PagePlace | None]:
    """Return the funnel, and where the next page of stopped keys begins; raise `Invalid` for other operators."""
    sequence = read_sequence_steps(node)
    base = BEGINNING if question.start is None else question.start - 1
    keys, log, is_complete = read_funnel_log(node, sequence.words, base, question.end)
    runs = runs_of_changes(sequence.rules, fold_columns(log, base, question.end), base, question.end)
    known_keys = NodeKey.objects.filter(node=node).exclude(birth=OPEN).count()
    counted_runs = runs if question.count == RUNS else runs.select_furthest()
    stopped, following = _list_stopped_keys(sequence, keys, counted_runs, question)
    document = {
        "node": node.digest,
        "from": question.start,
        "to": question.end,
        "count": question.count,
        "known": known_keys,
        "complete": is_complete,
        "steps": _describe_steps(sequence, counted_runs),
        "stopped": stopped,
        "final_until": node.final_until,
        "as_of": node.as_of,
        **read_known_until(node),
    }
    return document, following


def read_sequence_steps(node: Node) -> SequenceSteps:
    """Return the steps of a sequence; raise `Invalid` for another operator."""
    if node.operator != "sequence":
        raise Invalid.field(
            "digest",
            f"A funnel needs a sequence; this node is {node.operator}.",
            "Ask the sequence that it reads.",
        )
    params = parse_program(node.program).last.parsed()
    rules = rules_of_sequence(
        params["steps"], params.get("within"), params.get("not"), params.get("again", "first")
    )
    return SequenceSteps([step.name for step in params["steps"]], rules)


def _describe_steps(sequence: SequenceSteps, runs: FunnelRuns) -> list[Document]:
    """Return count, share, duration and outcomes for each step."""
    size = len(sequence.names)
    counts, medians = runs.count_reached(size), runs.median_times(size)
    outcome = np.array(outcomes_of(sequence.rules, runs.outcome), dtype=object)
    return [
        {
            "step": name,
            "count": counts[index],
            "share": _share(counts[index], counts[0]),
            "share_of_previous": _share(counts[index], counts[max(0, index - 1)]),
            "median_seconds": None if (median := medians[index]) is None else median / SECOND,
            **_count_outcomes(outcome[runs.reached == index + 1]),
        }
        for index, name in enumerate(sequence.names)
    ]


def _share(count: int, of: int) -> float | None:
    return count / of if of else None


def _count_outcomes(outcome: Any) -> Document:
    """Count how runs ended at a step; completed ones did not stop."""
    counts = {word: int(np.count_nonzero(outcome == word)) for word in ("active", "expired", "broken")}
    return {"stopped": sum(counts.values()), **counts}


def _list_stopped_keys(
    sequence: SequenceSteps, keys: Ints, runs: FunnelRuns, question: FunnelQuestion
) -> tuple[list[Document], PagePlace | None]:
    """Return a page of the keys that reached a step and no further, the latest first."""
    if question.step is None:
        return [], None
    if question.step not in sequence.names:
        words = ", ".join(sequence.names)
        raise Invalid.field("step", f"There is no step {question.step[:40]!r}.", f"The steps are {words}.")
    column = sequence.names.index(question.step)
    stopped = runs.take(runs.reached == column + 1)
    rows, times = keys[stopped.key], stopped.times[:, column]
    order = np.lexsort((rows, times))[::-1]
    if question.after is not None:
        order = order[
            (times[order] < question.after.time)
            | ((times[order] == question.after.time) & (rows[order] < question.after.key))
        ]
    page = order[: question.limit]
    names = dict(NodeKey.objects.filter(pk__in=rows[page].tolist()).values_list("pk", "key"))
    outcomes = outcomes_of(sequence.rules, stopped.outcome[page])
    columns = zip(
        rows[page].tolist(), times[page].tolist(), stopped.times[page, 0].tolist(), outcomes, strict=True
    )
    stopped_keys = [
        {"key": names[row], "at": at, "start": start, "outcome": outcome}
        for row, at, start, outcome in columns
        if row in names
    ]
    last = PagePlace(int(times[page[-1]]), int(rows[page[-1]])) if len(order) > len(page) else None
    return stopped_keys, last
