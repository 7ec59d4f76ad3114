"""Near foldings: of a key with many rows only the latest are evaluated, and nobody can tell from the answers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import event as seen
from hypothesis import given, settings

from tests.algebra.logs import Delivered
from tests.algebra.test_revisions import histories
from tests.local import test_retention
from tests.local.hosts import answers, part
from tests.local.running import disagreements, judged, run
from tests.local.test_tails import delivery, marks, streamed
from tests.strategies import Plan
from timeline_app.algebra.kinds import Mask
from timeline_app.testing.hosts import tiny
from workers.spark import history, near

pytestmark = pytest.mark.deep


@contextmanager
def rested() -> Iterator[list[int]]:
    """Of each pass, how many rows rested."""
    found: list[int] = []
    really = near.resting

    def noted(*arguments: Any) -> Mask:
        rows = really(*arguments)
        found.append(int(rows.sum()))
        return rows

    with patch.object(history, "resting", noted):
        yield found


@given(histories())
@settings(max_examples=15)
def test_what_is_counted_and_published_is_the_same_as_without(
    drawn: tuple[Plan, Delivered, list[int]],
) -> None:
    plan, delivered, places = drawn
    whole = streamed(plan, delivered, places)
    with rested() as found, tiny(keep=10):
        queries = streamed(plan, delivered, places)
    seen(f"rested: {any(found)}")
    for name, query in queries.items():
        assert marks(query) == marks(whole[name])
        assert [rows.num_rows for rows in query.feed] == [rows.num_rows for rows in whole[name].feed]
    assert disagreements(plan, answers(queries), judged(plan, part(plan, delivered))) == []


@given(test_retention.histories())
@settings(max_examples=15)
def test_beyond_the_retention_too(drawn: tuple[Plan, Delivered, list[int]]) -> None:
    plan, delivered, places = drawn
    parts = [part(plan, delivered[start:end]) for start, end in pairwise(places)]
    with rested() as found, tiny(keep=10):
        queries = test_retention.streamed(plan, parts)
    seen(f"rested: {any(found)}")
    assert disagreements(plan, answers(queries), run(plan, part(plan, delivered))) == []


@pytest.mark.parametrize("cut", [12, 1_000])
@pytest.mark.parametrize("retention", ["36500d", "15s"])
@pytest.mark.parametrize("nodes", test_retention.NODES.values(), ids=test_retention.NODES)
def test_every_operator_goes_on_over_them(nodes: dict[str, Any], retention: str, cut: int) -> None:
    stream_of = {**test_retention.STREAM, "id": "id", "retention": retention}
    gated = {**nodes, "gate": test_retention.GATE, "shown": test_retention.SHOWN}
    plan = test_retention.plan_of({name: gated[name] for name in gated}, s=stream_of)
    delivered = delivery(len(str(nodes)), "xxxy")
    steps = random.Random(1)
    places = sorted({0, len(delivered), *(steps.randrange(len(delivered)) for _ in range(40))})
    whole = streamed(plan, delivered, places, "of", "shown")
    with rested() as found, tiny(keep=cut, segment=8, nearly=2):
        queries = streamed(plan, delivered, places, "of", "shown")
    assert any(found) or cut == 12  # what looks far ahead is cut at once
    for name, query in queries.items():
        assert marks(query) == marks(whole[name])
        assert [rows.num_rows for rows in query.feed] == [rows.num_rows for rows in whole[name].feed]
    if retention == "36500d":
        truth = run(plan, {"s": [item for _, item in delivered]})
        assert disagreements(plan, answers(queries), {name: truth[name] for name in queries}) == []
    assert disagreements(plan, answers(queries), answers(whole)) == []
