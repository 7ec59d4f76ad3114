"""changed_to: how many times a state has become a value, or any."""

from __future__ import annotations

import pytest

from tests.operators.comparisons import CLIMBING
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

STATE = {"state": build_leaf("latest_event_to_state", field="state")}


def test_zero_until_it_becomes_the_value_then_one_more_each_time() -> None:
    nodes = {**STATE, "times": build_node("changed_to", "state", value="a")}
    events = (
        build_event(1),
        build_event(2, state="a"),
        build_event(3, state="b"),
        build_event(4, state="a"),
        build_event(5, state="a"),
    )
    assert answer(nodes, *events) == {"x": [(None, 0.0), (2, 1.0), (4, 2.0)]}


def test_without_a_value_every_known_value_counts_the_first_one_too() -> None:
    nodes = {**STATE, "times": build_node("changed_to", "state")}
    result = answer(
        nodes,
        build_event(2, state="a"),
        build_event(3, state="b"),
        build_event(4, state="b"),
        build_event(5, state="a"),
    )
    assert result == {"x": [(None, 0.0), (2, 1.0), (3, 2.0), (5, 3.0)]}


def test_becoming_unknown_does_not_count_but_becoming_known_again_does() -> None:
    nodes = {"on": build_leaf("latest_event_to_state", field="on"), **STATE}
    nodes |= {
        "some": {"op": "when", "inputs": {"if": "on", "of": "state"}},
        "times": build_node("changed_to", "some"),
    }
    result = answer(
        nodes, build_event(1, on=True, state="a"), build_event(4, on=False), build_event(6, on=True)
    )
    assert result == {"x": [(None, 0.0), (1, 1.0), (6, 2.0)]}


def test_a_value_held_since_ever_has_not_become() -> None:
    nodes = {
        "seen": build_leaf("has_existed", where="n > 1"),
        "times": build_node("changed_to", "seen", value=False),
    }
    assert answer(nodes, build_event(1), build_event(2, n=2)) == {"x": [(None, 0.0)]}
    nodes["times"] = build_node("changed_to", "seen", value=True)
    assert answer(nodes, build_event(1), build_event(2, n=2)) == {"x": [(None, 0.0), (2, 1.0)]}


def test_numbers_and_counts() -> None:
    nodes = {
        "n": build_leaf("latest_event_to_state", field="n"),
        "times": build_node("changed_to", "n", value=0),
    }
    assert answer(nodes, build_event(1, n=0), build_event(2, n=1), build_event(3, n=0)) == {
        "x": [(None, 0.0), (1, 1.0), (3, 2.0)]
    }
    nodes = {"count": build_leaf("event_count"), "times": build_node("changed_to", "count")}
    assert answer(nodes, build_event(1), build_event(1), build_event(2)) == {
        "x": [(None, 0.0), (1, 1.0), (2, 2.0)]
    }


def test_future_change_points_count_when_they_come() -> None:
    nodes = {"lately": build_leaf("has_existed_within", where="n > 1", duration="5s")}
    nodes["times"] = build_node("changed_to", "lately", value=False)
    assert answer(nodes, build_event(1), build_event(2, n=2)) == {"x": [(None, 0.0), (7, 1.0)]}


def test_a_late_event_may_take_a_change_away() -> None:
    nodes = {**STATE, "times": build_node("changed_to", "state", value="b")}
    assert answer(nodes, build_event(1, state="a"), build_event(5, state="b")) == {
        "x": [(None, 0.0), (5, 1.0)]
    }
    assert answer(nodes, build_event(1, state="a"), build_event(5, state="b"), build_event(3, state="b")) == {
        "x": [(None, 0.0), (3, 1.0)]
    }


def test_a_climbing_number_and_a_value_of_another_kind_are_refused() -> None:
    for nodes in (
        {**CLIMBING, "times": build_node("changed_to", "for")},
        {**STATE, "times": build_node("changed_to", "state", value=1)},
    ):
        with pytest.raises(Refused) as refused:
            compile_plan(build_plan(nodes), {})
        assert [problem.node for problem in refused.value.problems] == ["times"]


def test_it_describes_itself() -> None:
    inputs = [("of", ["text", "bool", "number"], 1)]
    parameters = [("value", "value")]
    assert_declared("changed_to", category="timelines", inputs=inputs, parameters=parameters, output="number")
