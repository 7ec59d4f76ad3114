"""less_than: false from the first microsecond at which the number is as great."""

from __future__ import annotations

from tests.operators.comparisons import CLIMBING, RATIO, compare_climbing, compare_with
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node


def test_steps_against_a_value_unknown_while_unknown() -> None:
    result = compare_with(
        "less_than", 2, build_event(1), build_event(2, n=1), build_event(3, n=2), build_event(4, n=-3)
    )
    assert result == [(None, None), (2, True), (3, False), (4, True)]


def test_a_climbing_number_is_less_until_the_microsecond_at_which_it_is_equal() -> None:
    assert compare_climbing("less_than", 5) == [(None, True), (15, False)]
    assert compare_climbing("less_than", 0) == [(None, False)]
    assert compare_climbing("less_than", "1500ms") == [(None, True), (11.5, False)]


def test_a_threshold_between_two_microseconds() -> None:
    assert compare_climbing("less_than", 0.0000015) == [(None, True), (10.000002, False)]


def test_a_falling_number_is_less_one_microsecond_after_it_was_equal() -> None:
    nodes = {**CLIMBING, "left": {"op": "multiply", "inputs": {"of": "for"}, "params": {"value": -1}}}
    result = compare_with("less_than", -2, build_event(10, on=True), of="left", **nodes)
    assert result == [(None, False), (12.000001, True)]


def test_the_suburb_that_changed_less_than_ten_minutes_ago() -> None:
    nodes = {"suburb": build_leaf("latest_event_to_state", field="suburb")}
    nodes |= {
        "age": build_node("duration_in_current_state", "suburb"),
        "times": build_node("changed_to", "suburb"),
    }
    nodes |= {
        "new": build_node("less_than", "age", value="10min"),
        "moved": build_node("greater_than", "times", value=1),
    }
    nodes |= {"suspicious": build_node("and", ["new", "moved"])}
    result = answer(
        nodes, build_event(0, suburb="a"), build_event(100, suburb="b"), build_event(200, suburb="b")
    )
    assert result == {"x": [(None, False), (100, True), (700, False)]}


def test_a_ratio_against_a_value() -> None:
    result = compare_with("less_than", 0.5, build_event(10, on=True), build_event(13), of="rate", **RATIO)
    assert result == [(None, None), (10.000001, False), (12.000001, True), (13, False), (14.000001, True)]


def test_it_describes_itself() -> None:
    inputs = [("of", ["number", "ratio"], 1), ("other", ["number"], 0)]
    parameters = [("value", "number")]
    assert_declared("less_than", category="timelines", inputs=inputs, parameters=parameters, output="bool")
