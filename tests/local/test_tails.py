"""Long keys: what is old of them lies in tails, and nobody can tell from the answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import event as seen
from hypothesis import given

from tests.algebra.logs import Delivered
from tests.algebra.test_revisions import histories
from tests.local import test_retention
from tests.local.hosts import Query, answers, stream
from tests.local.running import batches_of, disagreements, judged, run
from tests.local.test_hosts import part
from tests.strategies import Plan
from timeline_app.compiler import compile_plan
from workers.spark import cutting, folding, ids, pages, tails

COUNTERS = ["source", "t", "end", "events", "late", "duplicates", "conflicts", "too_late"]


@contextmanager
def tiny(keep: int = 2, segment: int = 3) -> Iterator[None]:
    """Heads, segments, blocks of ids and pages of almost nothing; whatever can be folded is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "KEEP", keep)
        patch.setattr(cutting, "LEAST", 1)
        patch.setattr(cutting, "SHARE", 1_000_000)
        patch.setattr(tails, "SEGMENT", segment)
        patch.setattr(ids, "BUFFER", 2)
        patch.setattr(ids, "BLOCK", 2)
        patch.setattr(pages, "LARGEST", 4_000)
        patch.setattr(folding, "LEAST", 1)
        patch.setattr(folding, "SHARE", 1_000_000)
        yield


def streamed(plan: Plan, delivered: Delivered, places: list[int]) -> dict[str, Query]:
    """All queries of a plan after all batches, by the node's name."""
    compiled = compile_plan(plan, {})
    batches = [batches_of(compiled, part(plan, delivered[start:end])) for start, end in pairwise(places)]
    queries = stream(compiled, batches)
    return {name: queries[digest] for name, digest in compiled.names.items()}


def tailed(query: Query) -> int:
    """How many segments its states hold."""
    return sum(kind == "tail" and number >= 0 for state in query.hosts[0].states for kind, _, number in state)


def marks(query: Query) -> list[pa.Table]:
    """What was counted, batch by batch."""
    return [rows.filter(pa.compute.is_null(rows["key"])).select(COUNTERS).to_pylist() for rows in query.feed]


@given(histories())
def test_the_feeds_fold_to_the_referees_answers(history: tuple[Plan, Delivered, list[int]]) -> None:
    plan, delivered, places = history
    with tiny():
        queries = streamed(plan, delivered, places)
    seen(f"segments: {any(map(tailed, queries.values()))}")
    assert disagreements(plan, answers(queries), judged(plan, part(plan, delivered))) == []


@given(histories())
def test_what_is_counted_and_published_is_the_same_as_without_tails(
    history: tuple[Plan, Delivered, list[int]],
) -> None:
    plan, delivered, places = history
    whole = streamed(plan, delivered, places)
    with tiny():
        queries = streamed(plan, delivered, places)
    for name, query in queries.items():
        assert marks(query) == marks(whole[name])
        assert [rows.num_rows for rows in query.feed] == [rows.num_rows for rows in whole[name].feed]


@given(test_retention.histories())
def test_beyond_the_retention_too(history: tuple[Plan, Delivered, list[int]]) -> None:
    plan, delivered, places = history
    parts = [part(plan, delivered[start:end]) for start, end in pairwise(places)]
    with tiny():
        queries = test_retention.streamed(plan, parts)
    seen(f"segments: {any(map(tailed, queries.values()))}")
    assert disagreements(plan, answers(queries), run(plan, part(plan, delivered))) == []
