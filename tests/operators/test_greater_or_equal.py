"""greater_or_equal: true from the first microsecond at which the number is as great."""

from __future__ import annotations

from tests.operators.comparisons import CLIMBING, NUMBER, RATIO, compare_climbing, compare_with
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node


def test_steps_against_a_value_unknown_while_unknown() -> None:
    result = compare_with(
        "greater_or_equal", 2, build_event(1), build_event(2, n=1), build_event(3, n=2), build_event(4, n=-3)
    )
    assert result == [(None, None), (2, False), (3, True), (4, False)]


def test_a_climbing_number_flips_at_the_very_microsecond_at_which_it_is_equal() -> None:
    assert compare_climbing("greater_or_equal", 5) == [(None, False), (15, True)]
    assert compare_climbing("greater_or_equal", 0) == [(None, True)]
    assert compare_climbing("greater_or_equal", 5, until=15) == [(None, False), (15, True)]
    assert compare_climbing("greater_or_equal", 5, until=14.999999) == [(None, False)]


def test_a_threshold_between_two_microseconds_is_reached_at_the_later_one() -> None:
    assert compare_climbing("greater_or_equal", 0.0000015) == [(None, False), (10.000002, True)]


def test_a_tenth_a_second_reaches_three_tenths_after_exactly_three_seconds() -> None:
    nodes = {**CLIMBING, "part": {"op": "multiply", "inputs": {"of": "for"}, "params": {"value": 0.1}}}
    result = compare_with("greater_or_equal", 0.3, build_event(10, on=True), of="part", **nodes)
    assert result == [(None, False), (13, True)]


def test_a_third_a_second_reaches_one_after_exactly_three_seconds() -> None:
    nodes = {**CLIMBING, "part": {"op": "divide", "inputs": {"of": "for"}, "params": {"value": 3}}}
    result = compare_with("greater_or_equal", 1, build_event(10, on=True), of="part", **nodes)
    assert result == [(None, False), (13, True)]


def test_a_sum_of_decimals_is_the_decimal() -> None:
    nodes = {"sum": build_leaf("event_sum", field="n")}
    result = compare_with(
        "greater_or_equal", 0.3, build_event(1, n=0.1), build_event(2, n=0.2), of="sum", **nodes
    )
    assert result == [(None, False), (2, True)]


def test_a_late_event_moves_the_crossing() -> None:
    result = compare_with(
        "greater_or_equal", 5, build_event(10, on=True), build_event(8, on=True), of="for", **CLIMBING
    )
    assert result == [(None, False), (13, True)]


def test_it_stands_until_an_event_revises_it() -> None:
    events = build_event(10, on=True), build_event(12, on=False), build_event(20, on=True)
    assert compare_with("greater_or_equal", 5, *events, of="for", **CLIMBING) == [(None, False), (23, True)]


def test_two_numbers_that_meet_are_as_great_there() -> None:
    late = {"late": build_leaf("has_existed", where="n > 0"), "since": build_node("duration_where", "late")}
    double = {"op": "multiply", "inputs": {"of": "since"}, "params": {"value": 2}}
    nodes = {**CLIMBING, **late, "double": double, "result": build_node("greater_or_equal", "double", "for")}
    result = answer(nodes, build_event(0, on=True), build_event(4, n=1))
    assert result == {"x": [(None, True), (0.000001, False), (8, True)]}


def test_a_number_is_as_great_as_itself_wherever_it_is_known() -> None:
    nodes = {**NUMBER, "result": build_node("greater_or_equal", "n", "n")}
    assert answer(nodes, build_event(1), build_event(2, n=1), build_event(3, n=7)) == {
        "x": [(None, None), (2, True)]
    }


def test_a_ratio_is_as_great_until_the_microsecond_at_which_it_is_equal() -> None:
    result = compare_with("greater_or_equal", 0.5, build_event(10, on=True), of="rate", **RATIO)
    assert result == [(None, None), (10.000001, True), (12.000001, False)]


def test_it_describes_itself() -> None:
    inputs = [("of", ["number", "ratio"], 1), ("other", ["number"], 0)]
    parameters = [("value", "number")]
    assert_declared(
        "greater_or_equal", category="timelines", inputs=inputs, parameters=parameters, output="bool"
    )
