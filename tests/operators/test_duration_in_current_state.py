"""duration_in_current_state: seconds since the value last changed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.comparisons import CLIMBING
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

STATE = {
    "state": build_leaf("latest_event_to_state", field="state"),
    "age": build_node("duration_in_current_state", "state"),
}


def test_unknown_until_the_state_is_known_and_from_zero_at_each_change() -> None:
    result = answer(
        STATE, build_event(1), build_event(2, state="a"), build_event(5, state="b"), build_event(9, state="a")
    )
    assert result == {"x": [(None, None), (2, 0.0, 1.0), (5, 0.0, 1.0), (9, 0.0, 1.0)]}


def test_the_same_value_again_is_no_change() -> None:
    result = answer(STATE, build_event(2, state="a"), build_event(5, state="a"), build_event(7))
    assert result == {"x": [(None, None), (2, 0.0, 1.0)]}


def test_a_value_held_since_ever_counts_from_birth_and_is_unknown_before() -> None:
    nodes = {
        "seen": build_leaf("has_existed", where="n > 1"),
        "age": build_node("duration_in_current_state", "seen"),
    }
    result = answer(nodes, build_event(3), build_event(8, n=2))
    assert result == {"x": [(None, None), (3, 0.0, 1.0), (8, 0.0, 1.0)]}


def test_numbers_and_counts() -> None:
    nodes = {"count": build_leaf("event_count"), "age": build_node("duration_in_current_state", "count")}
    assert answer(nodes, build_event(3), build_event(4)) == {
        "x": [(None, None), (3, 0.0, 1.0), (4, 0.0, 1.0)]
    }
    nodes = {
        "n": build_leaf("latest_event_to_state", field="n"),
        "age": build_node("duration_in_current_state", "n"),
    }
    assert answer(nodes, build_event(1, n=2), build_event(2, n=2), build_event(4, n=3)) == {
        "x": [(None, None), (1, 0.0, 1.0), (4, 0.0, 1.0)]
    }


def test_unknown_between_two_known_pieces_begins_anew() -> None:
    nodes: dict[str, Any] = {
        "on": build_leaf("latest_event_to_state", field="on"),
        "state": build_leaf("latest_event_to_state", field="state"),
        "some": {"op": "when", "inputs": {"if": "on", "of": "state"}},
        "age": build_node("duration_in_current_state", "some"),
    }
    result = answer(
        nodes, build_event(1, on=True, state="a"), build_event(4, on=False), build_event(6, on=True)
    )
    assert result == {"x": [(None, None), (1, 0.0, 1.0), (4, None), (6, 0.0, 1.0)]}


def test_future_change_points_are_change_points() -> None:
    nodes = {"lately": build_leaf("has_existed_within", where="n > 1", duration="5s")}
    nodes["age"] = build_node("duration_in_current_state", "lately")
    assert answer(nodes, build_event(1), build_event(2, n=2)) == {
        "x": [(None, None), (1, 0.0, 1.0), (2, 0.0, 1.0), (7, 0.0, 1.0)]
    }


def test_a_late_event_begins_an_earlier_state() -> None:
    assert answer(STATE, build_event(5, state="a"), build_event(2, state="a")) == {
        "x": [(None, None), (2, 0.0, 1.0)]
    }


def test_a_climbing_number_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**CLIMBING, "age": build_node("duration_in_current_state", "for")}), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port) == ("age", "of")


def test_it_describes_itself() -> None:
    inputs = [("of", ["text", "bool", "number"], 1)]
    assert_declared(
        "duration_in_current_state", category="timelines", inputs=inputs, parameters=[], output="number"
    )
