"""What the product says of a question, in one pass and batch by batch, and where a slow script says something else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from tests.evaluate.hosts import select_part
from tests.questions.asked import compute_answers
from tests.questions.question import SECOND, Question
from timeline_app.compiler import Compiled, Program, compile_plan
from timeline_app.compiler.placement import group_nodes, merge_programs
from timeline_app.events.validate import EventBatch
from timeline_app.feed import feed_rows
from timeline_app.testing.hosts import Query, fold_log
from timeline_app.testing.points import Shown, build_batches

BATCHES = 4
Batch = dict[str, EventBatch]


def describe_differences(question: Question, results: Mapping[str, Shown]) -> list[str]:
    """Where the timelines of the answering node say something else than the slow script."""
    return [
        f"{key} at {time / 1e6:.6f}: {read_value_at(results[key], time)!r} instead of {value!r}"
        for key, answers in compute_answers(question).items()
        for time, value in answers
        if not is_near(read_value_at(results[key], time), value)
    ]


def read_value_at(points: Shown, time: int) -> Any:
    """What a timeline says at an instant; of a ratio the quotient."""
    [(since, value, slope)] = [point for point in points if point[0] is None or point[0] <= time][-1:]
    if since is None or value is None or isinstance(value, bool | str):
        return value
    seconds = (time - since) / SECOND
    if not isinstance(value, tuple):
        return value + slope * seconds
    over, climb, under, widen = value
    under += widen * seconds
    return (over + climb * seconds) / under if under else None


def is_near(value: Any, other: Any) -> bool:
    """Whether two values are the same, numbers up to rounding."""
    if value is None or other is None or isinstance(value, bool | str) or isinstance(other, bool | str):
        return type(value) is type(other) and bool(value == other)
    return math.isclose(value, other, rel_tol=1e-9, abs_tol=1e-6)


def run_in_batches(question: Question, placement: str, *, late_last: bool) -> dict[str, Shown]:
    """What the streaming hosts have published of the answer after some batches, the late events after the others."""
    compiled = compile_plan(question.document, {})
    feeds: dict[str, pa.Table] = {}
    queries = [
        (digests, Query(merge_programs([compiled.programs[digest] for digest in digests])))
        for digests in group_nodes(compiled.programs, placement)
    ]
    for batch in cut_into_batches(question, compiled, late_last=late_last):
        for digests, query in queries:
            rows = query.run(batch, feeds)
            feeds |= {digest: select_node(rows, query.program, compiled, digest) for digest in digests}
    digest = compiled.names[question.result]
    [query] = [query for digests, query in queries if digest in digests]
    return fold_log(compiled.programs[digest].kind, query.select_revisions(digest, ()))


def select_node(rows: pa.Table, program: Program, compiled: Compiled, digest: str) -> pa.Table:
    """What a query that computes several nodes has published of one of them, as if it were alone."""
    own = feed_rows.select_node_revisions(
        rows, program.nodes.index(digest), compiled.programs[digest].sources
    )
    return feed_rows.select_node_rows(own, 0)


def cut_into_batches(question: Question, compiled: Compiled, *, late_last: bool) -> Iterator[Batch]:
    """The events in the order in which they arrive, some at a time."""
    delivered = question.delivered
    if late_last:
        late = list(iterate_late_places(question))
        order = [index for index in range(len(delivered)) if index not in late] + late
        delivered = [delivered[index] for index in order]
    size = -(-len(delivered) // BATCHES)
    for start in range(0, len(delivered), size):
        yield build_batches(compiled, select_part(question.document, delivered[start : start + size]))


def iterate_late_places(question: Question) -> Iterator[int]:
    """Which of the events arrive after one of a later time, of any stream."""
    streams, greatest = question.document["streams"], ""
    for index, (stream, event) in enumerate(question.delivered):
        time = event[streams[stream]["time"]]
        if time < greatest:
            yield index
        greatest = max(time, greatest)
