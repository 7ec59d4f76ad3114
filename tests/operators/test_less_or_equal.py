"""less_or_equal: false from the first microsecond at which the number lies above."""

from __future__ import annotations

from tests.operators.comparisons import CLIMBING, RATIO, compare_climbing, compare_with
from tests.operators.small import answer, assert_declared, build_event, build_node


def test_steps_against_a_value_unknown_while_unknown() -> None:
    result = compare_with(
        "less_or_equal", 2, build_event(1), build_event(2, n=2), build_event(3, n=2.5), build_event(4, n=-3)
    )
    assert result == [(None, None), (2, True), (3, False), (4, True)]


def test_a_climbing_number_is_not_above_at_the_microsecond_at_which_it_is_equal() -> None:
    assert compare_climbing("less_or_equal", 5) == [(None, True), (15.000001, False)]
    assert compare_climbing("less_or_equal", 0) == [(None, True), (10.000001, False)]
    assert compare_climbing("less_or_equal", 5, until=15) == [(None, True)]
    assert compare_climbing("less_or_equal", -0.5) == [(None, False)]


def test_a_falling_number_is_as_small_at_the_microsecond_at_which_it_is_equal() -> None:
    nodes = {**CLIMBING, "left": {"op": "multiply", "inputs": {"of": "for"}, "params": {"value": -1}}}
    result = compare_with("less_or_equal", -2, build_event(10, on=True), of="left", **nodes)
    assert result == [(None, False), (12, True)]


def test_two_numbers_unknown_while_either_is() -> None:
    nodes = {
        **CLIMBING,
        "age": build_node("duration_in_current_state", "on"),
        "result": build_node("less_or_equal", "for", "age"),
    }
    result = answer(
        nodes, build_event(8), build_event(10, on=True), build_event(12, on=False), build_event(14, on=True)
    )
    assert result == {"x": [(None, None), (10, True), (12, False)]}
    nodes["result"] = build_node("less_or_equal", "age", "for")
    result = answer(nodes, build_event(8), build_event(10, on=True), build_event(12, on=False))
    assert result == {"x": [(None, None), (10, True), (14.000001, False)]}


def test_a_ratio_against_a_value() -> None:
    result = compare_with("less_or_equal", 0.5, build_event(10, on=True), of="rate", **RATIO)
    assert result == [(None, None), (10.000001, False), (12, True)]


def test_it_describes_itself() -> None:
    inputs = [("of", ["number", "ratio"], 1), ("other", ["number"], 0)]
    parameters = [("value", "number")]
    assert_declared(
        "less_or_equal", category="timelines", inputs=inputs, parameters=parameters, output="bool"
    )
