"""The streaming hosts say, batch by batch, what the referee says of everything that came so far."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.algebra.logs import Delivered
from tests.algebra.test_revisions import draw_histories
from tests.evaluate.hosts import list_disagreements_after, select_part, stream_plan
from tests.referee import JsonEvent, Referee
from tests.strategies import Plan
from timeline_app.compiler import compile_plan
from timeline_app.testing.points import build_batches

pytestmark = pytest.mark.deep


@given(draw_histories())
def test_the_feeds_fold_to_the_referees_answers(history: tuple[Plan, Delivered, list[int]]) -> None:
    assert list_disagreements_after(*history) == []


@given(draw_histories())
def test_the_marks_say_how_far_the_streams_have_come(history: tuple[Plan, Delivered, list[int]]) -> None:
    plan, delivered, _ = history
    compiled, events = compile_plan(plan, {}), select_part(plan, delivered)
    queries, referee = stream_plan(compiled, [build_batches(compiled, events)]), Referee(plan, events)
    for name, digest in compiled.names.items():
        marks = queries[digest].marks()
        if referee.final_until(name) is not None:
            assert min(marks.values()) == referee.final_until(name)


@pytest.mark.parametrize("instead", [{"state": "b"}, {}])
def test_a_group_that_nobody_was_ever_in_after_all_goes_away(instead: JsonEvent) -> None:
    """The second copy of the event has the greater text, and is the event."""
    stream_of = {"key": "k", "time": "t", "id": "id"}
    state = {"op": "latest_event_to_state", "stream": "s", "params": {"field": "state"}}
    ever = {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "a"}}
    count = {"op": "aggregate", "inputs": {"of": "ever", "by": "state"}, "params": {"function": "count"}}
    nodes = {"state": state, "ever": ever, "by": count}
    compiled = compile_plan({"version": 1, "nodes": nodes, "streams": {"s": stream_of}}, {})
    events = [{"k": "x", "t": 1, "id": 1, "state": "a"}, {"k": "x", "t": 1, "id": 1, **instead}]
    queries = stream_plan(compiled, [build_batches(compiled, {"s": [event]}) for event in events])
    log = queries[compiled.names["by"]].log()
    assert {key for key, (exists, _) in log.items() if exists} == set(instead.values())
    assert not log["a"][0]
