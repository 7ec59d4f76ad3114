"""Laws of time: durations add up, everything pointwise commutes with a shift, states and their durations agree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.facts import (
    HALF,
    assert_same,
    build_node,
    compute_results,
    events,
    few,
    list_instants,
    read_value_at,
)
from tests.referee import JsonEvent

pytestmark = pytest.mark.deep

DURATIONS = st.sampled_from(["500ms", "1s", "2500ms", "1us", "333ms"])
POINTWISE: dict[str, dict[str, Any]] = {
    "not": build_node("not", "x"),
    "and": build_node("and", "x", "y"),
    "or": build_node("or", "x", "y"),
    "equal_to": build_node("equal_to", "n", "m"),
    "not_equal_to": build_node("not_equal_to", "s", value="a"),
    "greater_than": build_node("greater_than", "for_x", value=1),
    "greater_or_equal": build_node("greater_or_equal", "for_x", "age_s"),
    "less_than": build_node("less_than", "age_s", "n"),
    "less_or_equal": build_node("less_or_equal", "n", value=0.1),
    "add": build_node("add", "for_x", "n"),
    "subtract": build_node("subtract", "n", "age_s"),
    "multiply": build_node("multiply", "for_x", "n"),
    "divide": build_node("divide", "n", "m"),
    "divide by what climbs": build_node("divide", "n", "for_x"),
    "when": build_node("when", "x", "n", "for_y"),
    "shift": build_node("shift", "for_x", duration="1s"),
}


@pytest.mark.parametrize("name", POINTWISE)
@few
@given(events(), DURATIONS)
def test_a_shift_of_the_result_is_the_result_of_shifts(
    name: str, delivered: list[JsonEvent], duration: str
) -> None:
    item = POINTWISE[name]
    wires = sorted(
        {wire for wired in item["inputs"].values() for wire in ([wired] if isinstance(wired, str) else wired)}
    )
    later = {wire: f"{wire}_later" for wire in wires}
    inputs = {
        port: later[wired] if isinstance(wired, str) else [later[wire] for wire in wired]
        for port, wired in item["inputs"].items()
    }
    nodes = {own: build_node("shift", wire, duration=duration) for wire, own in later.items()}
    nodes |= {
        "result": item,
        "shifted": build_node("shift", "result", duration=duration),
        "of": {**item, "inputs": inputs},
    }
    assert_same(delivered, "shifted", "of", **nodes)


@few
@given(events(), DURATIONS)
def test_two_shifts_are_one(delivered: list[JsonEvent], duration: str) -> None:
    nodes = {
        "once": build_node("shift", "for_x", duration=duration),
        "twice": build_node("shift", "once", duration="2s"),
    }
    nodes |= {
        "other": build_node("shift", "for_x", duration="2s"),
        "way": build_node("shift", "other", duration=duration),
    }
    assert_same(delivered, "twice", "way", **nodes)


@few
@given(events())
def test_true_and_false_and_unknown_time_add_up_to_the_time_since_birth(delivered: list[JsonEvent]) -> None:
    """`never` is false since ever, so its opposite tells the time since birth."""
    never = {"op": "has_existed", "stream": "events", "params": {"where": "n > 100"}}
    nodes = {"no": build_node("not", "x"), "for_no": build_node("duration_where", "no"), "never": never}
    nodes |= {"ever": build_node("not", "never"), "alive": build_node("duration_where", "ever")}
    nodes |= {"known": build_node("add", "for_x", "for_no"), "gone": build_node("subtract", "alive", "known")}
    nodes |= {"some": build_node("or", "x", "no"), "for_known": build_node("duration_where", "some")}
    assert_same(delivered, "known", "for_known", **nodes)
    answer = compute_results(delivered, **nodes)
    for key, points in answer["gone"].items():
        assert {slope for _, _, slope in points} <= {0.0, 1.0}
        assert all(value >= 0 for _, value, _ in points)
        birth = min(event["t"] for event in delivered if event["k"] == key)
        assert read_value_at(answer["alive"][key], birth + 7 * HALF) == 3.5


@few
@given(events(), DURATIONS)
def test_held_for_is_true_and_no_younger(delivered: list[JsonEvent], duration: str) -> None:
    nodes = {
        "age": build_node("duration_in_current_state", "x"),
        "held": build_node("held_for", "x", duration=duration),
    }
    nodes |= {
        "old": build_node("greater_or_equal", "age", value=duration),
        "both": build_node("and", "x", "old"),
    }
    assert_same(delivered, "held", "both", **nodes)


@few
@given(events())
def test_a_state_is_as_old_as_what_says_that_it_is_that_state(delivered: list[JsonEvent]) -> None:
    nodes = {
        "a": build_node("equal_to", "s", value="a"),
        "age_a": build_node("duration_in_current_state", "a"),
    }
    assert_same(delivered, "age_a", "age_s", **nodes)


@few
@given(events())
def test_changes_to_each_value_are_all_changes(delivered: list[JsonEvent]) -> None:
    nodes = {
        "to_a": build_node("changed_to", "s", value="a"),
        "to_b": build_node("changed_to", "s", value="b"),
    }
    assert_same(
        delivered,
        "sum",
        "any",
        **nodes,
        sum=build_node("add", "to_a", "to_b"),
        any=build_node("changed_to", "s"),
    )


@few
@given(events())
def test_a_duration_counts_while_it_is_true_and_the_age_of_the_truth_with_it(
    delivered: list[JsonEvent],
) -> None:
    """While x is true its duration and its age run side by side."""
    nodes = {
        "age": build_node("duration_in_current_state", "x"),
        "rest": build_node("subtract", "for_x", "age"),
    }
    answer = compute_results(
        delivered, for_x=build_node("duration_where", "x"), **nodes, then=build_node("when", "x", "rest")
    )
    for key, points in answer["then"].items():
        assert all(slope == 0.0 for _, _, slope in points)
        for time in list_instants(points):
            value = read_value_at(points, time)
            assert value is None or 0 <= value <= read_value_at(answer["for_x"][key], time)
