"""Nodes that move from one query to another: what both told folds to the referee's answers, nothing counted twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.logs import Delivered
from tests.algebra.test_revisions import draw_histories
from tests.depth import examples
from tests.evaluate.hosts import count, select_part, stream_plan
from tests.evaluate.running import judge_plan, list_disagreements
from tests.strategies import Plan
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.compiler.placement import ISOLATED, TOGETHER, group_nodes, merge_programs
from timeline_app.plan import EventBatch
from timeline_app.testing.hosts import Query, fold_log
from timeline_app.testing.points import build_batches
from workers.spark.hosts.emit import HandoverLimits

pytestmark = pytest.mark.deep

Steps = Iterator[Mapping[str, range]]


def draw_steps(ends: Mapping[str, int], breaks: Mapping[str, set[int]], most: int, chance: Random) -> Steps:
    """By source the numbers of each batch, until everything is read: sources go on unevenly, never beyond a break."""
    reached = dict.fromkeys(ends, 0)
    while reached != ends:
        batch = {}
        for source, start in reached.items():
            limit = min([ends[source], start + most, *(item for item in breaks[source] if item > start)])
            if limit > start and chance.random() < 0.6:
                batch[source] = range(start, chance.randint(start + 1, limit))
        reached |= {source: numbers.stop for source, numbers in batch.items()}
        if batch:
            yield batch


def replay(query: Query, known: Mapping[str, list[Any]], taken: HandoverLimits, chance: Random) -> None:
    """Feed a query everything that its sources hold, from the beginning."""
    sources = query.program.inputs or query.program.streams
    ends = {source: len(known[source]) for source in sources}
    breaks = {source: {limit for limits in taken.values() for limit in limits[source]} for source in sources}
    most = 1 if query.program.feeds else 5  # revisions of one key are told apart by their batch
    for batch in draw_steps(ends, breaks, most, chance):
        numbers = {source: item[-1] for source, item in batch.items()}
        given_rows = {
            source: join_batches(known[source][item.start : item.stop]) for source, item in batch.items()
        }
        query.run(given_rows, given_rows, numbers)


def join_batches(items: list[Any]) -> Any:
    """Some batches of a source as one."""
    if isinstance(items[0], pa.Table):
        return pa.concat_tables(items)
    whole = EventBatch(items[0].declaration)
    for item in items:
        for column in ("keys", "times", "ids", "texts", "fields"):
            getattr(whole, column).extend(getattr(item, column))
    return whole


def move_nodes(
    compiled: Compiled, placement: str, batches: list[dict[str, EventBatch]], chance: Random, unsure: int = 0
) -> Iterator[tuple[str, list[pa.Table]]]:
    """Each node's digest, and all that was told of it before and after its move.

    Where the former query stopped is known up to so many batches.
    """
    before = stream_plan(compiled, batches)
    known_so_far: dict[str, list[Any]] = {name: [item[name] for item in batches] for name in compiled.streams}
    known_so_far |= {digest: query.feed for digest, query in before.items()}
    for digests in group_nodes(compiled.programs, placement):
        programs = [compiled.programs[digest] for digest in digests]
        if programs[0].across_keys:
            continue
        sources = {source for item in programs for source in (item.inputs or item.streams)}
        stopped = {digest: chance.randint(0, len(batches)) for digest in digests}
        taken = {
            digest: {
                source: (max(place - unsure, 0), min(place + unsure, len(batches))) for source in sources
            }
            for digest, place in stopped.items()
        }
        query = Query(merge_programs(programs), taken)
        replay(query, known_so_far, taken, chance)
        for digest in digests:
            sources_of_node = compiled.programs[digest].sources
            answer = before[digest].select_revisions(digest, sources_of_node)[: stopped[digest]]
            yield digest, answer + query.select_revisions(digest, sources_of_node)


@given(
    draw_histories(),
    st.sampled_from([ISOLATED, TOGETHER]),
    st.integers(0, 2),
    st.randoms(use_true_random=False),
)
@examples(40)
def test_a_node_that_moves_says_what_it_would_have_said(
    history: tuple[Plan, Delivered, list[int]], placement: str, unsure: int, chance: Random
) -> None:
    plan, delivered, places = history
    compiled = compile_plan(plan, {})
    batches = [
        build_batches(compiled, select_part(plan, delivered[start:end])) for start, end in pairwise(places)
    ]
    result = {
        digest: fold_log(compiled.programs[digest].kind, item)
        for digest, item in move_nodes(compiled, placement, batches, chance, unsure)
    }
    truth = judge_plan(plan, select_part(plan, delivered))
    digests = {name: digest for name, digest in compiled.names.items() if digest in result}
    assert (
        list_disagreements(
            plan,
            {name: result[digest] for name, digest in digests.items()},
            {name: truth[name] for name in digests},
        )
        == []
    )


@given(draw_histories(), st.randoms(use_true_random=False))
def test_no_event_is_counted_twice(history: tuple[Plan, Delivered, list[int]], chance: Random) -> None:
    plan, delivered, places = history
    compiled = compile_plan(plan, {})
    batches = [
        build_batches(compiled, select_part(plan, delivered[start:end])) for start, end in pairwise(places)
    ]
    for digest, document in move_nodes(compiled, TOGETHER, batches, chance):
        program = compiled.programs[digest]
        expected = sum(len(item[name].keys) for item in batches for name in program.streams)
        assert sum(count(rows, "events") for rows in document) == expected
