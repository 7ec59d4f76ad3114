"""Keys that leave the pages at once and come back say what they would have said had they stayed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given

from tests.algebra.logs import Delivered
from tests.algebra.test_revisions import draw_histories
from tests.evaluate.hosts import list_disagreements_after, stream_plan
from tests.strategies import Plan
from timeline_app.compiler import compile_plan
from timeline_app.testing.points import build_batches
from workers.spark.state import idle_keys

pytestmark = pytest.mark.deep


@pytest.fixture(autouse=True, scope="module")
def _little_room() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(idle_keys, "MIN_UNTOUCHED_ROWS", 1)
        patch.setattr(idle_keys, "MAX_UNTOUCHED_ROWS", 3)
        patch.setattr(idle_keys, "ROWS_PER_VALUE", 2)
        yield


@given(draw_histories())
def test_the_feeds_fold_to_the_referees_answers(history: tuple[Plan, Delivered, list[int]]) -> None:
    assert list_disagreements_after(*history) == []


def test_keys_leave_the_pages() -> None:
    nodes = {"n": {"op": "latest_event_to_state", "stream": "s", "params": {"field": "n"}}}
    plan = {
        "version": 1,
        "nodes": nodes,
        "streams": {"s": {"key": "k", "time": "t", "fields": {"n": "number"}}},
    }
    compiled = compile_plan(plan, {})
    events = [{"k": f"k{index % 40}", "t": index, "n": index} for index in range(400)]
    batches = [build_batches(compiled, {"s": events[start : start + 4]}) for start in range(0, 400, 4)]
    (query,) = stream_plan(compiled, batches).values()
    states = query.hosts[0].states
    assert sum(kind == "cold" for state in states for kind, _, _ in state) > 4
    assert sum(len(state["page", "", 0]) for state in states) < 4_000
