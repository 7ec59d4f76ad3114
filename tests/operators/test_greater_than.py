"""greater_than: true from the first microsecond at which the number lies above."""

from __future__ import annotations

import pytest

from tests.operators.comparisons import CLIMBING, MICROS, NUMBER, RATIO, compare_climbing, compare_with
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused


def test_steps_against_a_value_unknown_while_unknown() -> None:
    result = compare_with(
        "greater_than", 2, build_event(1), build_event(2, n=2), build_event(3, n=2.5), build_event(4, n=-3)
    )
    assert result == [(None, None), (2, False), (3, True), (4, False)]


def test_a_climbing_number_lies_above_one_microsecond_after_it_was_equal() -> None:
    assert compare_climbing("greater_than", 5) == [(None, False), (15.000001, True)]
    assert compare_climbing("greater_than", 0) == [(None, False), (10.000001, True)]
    assert compare_climbing("greater_than", -1) == [(None, True)]


def test_what_stops_at_the_value_is_never_greater() -> None:
    assert compare_climbing("greater_than", 5, until=15) == [(None, False)]
    assert compare_climbing("greater_than", 5, until=15.000001) == [(None, False), (15.000001, True)]


def test_a_threshold_between_two_microseconds() -> None:
    assert compare_climbing("greater_than", 0.0000005) == [(None, False), (10.000001, True)]
    assert compare_climbing("greater_than", 0.0000015) == [(None, False), (10.000002, True)]


def test_the_crossing_may_lie_in_the_future() -> None:
    assert compare_climbing("greater_than", "10min") == [(None, False), (610.000001, True)]
    assert compare_climbing("greater_than", 600) == compare_climbing("greater_than", "10min")


def test_a_crossing_beyond_the_end_of_time_never_comes() -> None:
    assert compare_climbing("greater_than", 9e13) == [(None, False)]


def test_falling_numbers_stop_being_greater_when_they_are_equal() -> None:
    nodes = {**CLIMBING, "left": {"op": "multiply", "inputs": {"of": "for"}, "params": {"value": -1}}}
    result = compare_with("greater_than", -2, build_event(10, on=True), of="left", **nodes)
    assert result == [(None, True), (12, False)]


@pytest.mark.parametrize(
    ("divisor", "value", "flips"), [(3, 1, 13.000001), (3, 0.1, 10.300001), (7, 3, 31.000001)]
)
def test_slopes_that_are_no_decimals_cross_where_they_do(divisor: int, value: float, flips: float) -> None:
    nodes = {**CLIMBING, "part": {"op": "divide", "inputs": {"of": "for"}, "params": {"value": divisor}}}
    result = compare_with("greater_than", value, build_event(10, on=True), of="part", **nodes)
    assert result == [(None, False), (flips, True)]


def test_a_tenth_a_second_lies_above_three_tenths_after_three_seconds() -> None:
    nodes = {**CLIMBING, "part": {"op": "multiply", "inputs": {"of": "for"}, "params": {"value": 0.1}}}
    result = compare_with("greater_than", 0.3, build_event(10, on=True), of="part", **nodes)
    assert result == [(None, False), (13.000001, True)]


def test_two_numbers_unknown_while_either_is() -> None:
    nodes = {**NUMBER, "result": build_node("greater_than", "n", "m")}
    stream = {"key": "k", "time": "t", "unit": "s", "fields": {"n": "number", "m": "number"}}
    events = (
        build_event(1, n=1),
        build_event(2, m=1),
        build_event(3, n=2),
        build_event(4, m=3),
        build_event(5, m=1.5),
    )
    assert answer(nodes, *events, s=stream) == {
        "x": [(None, None), (2, False), (3, True), (4, False), (5, True)]
    }


def test_two_climbing_numbers_meet_where_they_meet() -> None:
    """`for` climbs from second 0 on; twice the time since second 4 overtakes it after second 8."""
    late = {"late": build_leaf("has_existed", where="n > 0"), "since": build_node("duration_where", "late")}
    double = {"op": "multiply", "inputs": {"of": "since"}, "params": {"value": 2}}
    nodes = {**CLIMBING, **late, "double": double, "result": build_node("greater_than", "double", "for")}
    result = answer(nodes, build_event(0, on=True), build_event(4, n=1))
    assert result == {"x": [(None, False), (8.000001, True)]}


def test_a_number_is_never_greater_than_itself() -> None:
    nodes = {**CLIMBING, "result": build_node("greater_than", "for", "for")}
    assert answer(nodes, build_event(0, on=True), build_event(2, on=False)) == {"x": [(None, False)]}


def test_a_ratio_that_falls_and_jumps_with_its_events() -> None:
    """One event at 10: unknown there, 1/(t - 10) after it; two events from 14 on: 2/(t - 10)."""
    result = compare_with("greater_than", 0.5, build_event(10, on=True), build_event(14), of="rate", **RATIO)
    assert result == [(None, None), (10.000001, True), (12, False)]
    result = compare_with("greater_than", 0.4, build_event(10, on=True), build_event(14), of="rate", **RATIO)
    assert result == [(None, None), (10.000001, True), (12.5, False), (14, True), (15, False)]


def test_a_ratio_changes_its_sign_where_its_denominator_passes_zero_unknown_at_that_microsecond() -> None:
    nodes = {**CLIMBING, "less": {"op": "subtract", "inputs": {"of": "for"}, "params": {"value": 5}}}
    nodes |= {"count": build_leaf("event_count"), "rate": build_node("divide", "count", "less")}
    result = compare_with("greater_than", 0, build_event(10, on=True), of="rate", **nodes)
    assert result == [(None, False), (15, None), (15.000001, True)]


def test_a_denominator_that_passes_zero_between_two_microseconds_is_unknown_nowhere() -> None:
    less = {"op": "subtract", "inputs": {"of": "for"}, "params": {"value": 0.0000025}}
    nodes = {
        **CLIMBING,
        "less": less,
        "count": build_leaf("event_count"),
        "rate": build_node("divide", "count", "less"),
    }
    result = compare_with("greater_than", 0, build_event(10, on=True), of="rate", **nodes)
    assert result == [(None, False), (10.000003, True)]


def test_exact_far_from_the_epoch() -> None:
    nodes = {**CLIMBING, "result": build_node("greater_than", "for", value=0.1)}
    (_, (flips, _)) = answer(nodes, build_event(1_719_820_800_000_001, on=True), s=MICROS)["x"]
    assert flips == 1_719_820_800_100_002 / 1e6


@pytest.mark.parametrize("value", ["play", True, "10 minutes"])
def test_a_value_that_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**NUMBER, "result": build_node("greater_than", "n", value=value)}), {})
    assert [problem.node for problem in refused.value.problems if problem.port == "value"] == ["result"]


def test_a_ratio_is_not_compared_with_a_second_number() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**RATIO, "result": build_node("greater_than", "rate", "count")}), {})
    assert [problem.node for problem in refused.value.problems] == ["result"]


def test_it_describes_itself() -> None:
    inputs = [("of", ["number", "ratio"], 1), ("other", ["number"], 0)]
    parameters = [("value", "number")]
    assert_declared("greater_than", category="timelines", inputs=inputs, parameters=parameters, output="bool")
