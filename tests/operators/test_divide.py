"""divide: by a steady number or a value a number, by a climbing one a ratio of lines, exact."""

from __future__ import annotations

import pytest

from tests.operators.comparisons import CLIMBING, NUMBER, RATIO
from tests.operators.small import (
    STREAM,
    answer,
    assert_declared,
    build_event,
    build_leaf,
    build_node,
    build_plan,
)
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

BOTH = {**STREAM, "fields": {"n": "number", "m": "number", "on": "bool"}}


def test_two_steady_numbers_unknown_while_either_is_and_where_it_divides_by_zero() -> None:
    nodes = {**NUMBER, "share": build_node("divide", "n", "m")}
    result = answer(
        nodes, build_event(1, n=3), build_event(2, m=4), build_event(3, m=0), build_event(5, m=-2), s=BOTH
    )
    assert result == {"x": [(None, None), (2, 0.75), (3, None), (5, -1.5)]}


def test_zero_by_zero_is_unknown() -> None:
    nodes = {"count": build_leaf("event_count", where="n > 0"), "all": build_leaf("event_count")}
    nodes["share"] = build_node("divide", "count", "all")
    assert answer(nodes, build_event(1), build_event(2, n=1)) == {"x": [(None, None), (1, 0.0), (2, 0.5)]}


def test_a_value_or_a_duration() -> None:
    nodes = {**CLIMBING, "minutes": build_node("divide", "for", value="2s")}
    assert answer(nodes, build_event(1, on=True), build_event(4, on=False)) == {
        "x": [(None, 0.0), (1, 0.0, 0.5), (4, 1.5)]
    }


def test_a_climbing_number_by_a_steady_one_climbs_by_its_share() -> None:
    nodes = {
        **CLIMBING,
        "n": build_leaf("latest_event_to_state", field="n"),
        "share": build_node("divide", "for", "n"),
    }
    result = answer(
        nodes,
        build_event(1, on=True, n=2),
        build_event(4, n=0),
        build_event(5, n=-1),
        build_event(6, on=False),
    )
    assert result == {"x": [(None, None), (1, 0.0, 0.5), (4, None), (5, -4.0, -1.0), (6, -5.0)]}


def test_by_a_climbing_number_both_lines_are_kept_and_zero_is_unknown() -> None:
    """At 1 the denominator is 0 for one microsecond, and was 0 before."""
    assert answer(RATIO, build_event(1, on=True), build_event(3), build_event(4, on=False)) == {
        "x": [
            (None, None),
            (1.000001, (1.0, 0.0, 0.000001, 1.0)),
            (3, (2.0, 0.0, 2.0, 1.0)),
            (4, (3.0, 0.0, 3.0, 0.0)),
        ]
    }


def test_a_denominator_that_passes_zero_is_unknown_for_one_microsecond() -> None:
    nodes = {**CLIMBING, "less": build_node("subtract", "for", value=5), "count": build_leaf("event_count")}
    nodes["rate"] = build_node("divide", "count", "less")
    assert answer(nodes, build_event(10, on=True)) == {
        "x": [
            (None, (0.0, 0.0, -5.0, 0.0)),
            (10, (1.0, 0.0, -5.0, 1.0)),
            (15, None),
            (15.000001, (1.0, 0.0, 0.000001, 1.0)),
        ]
    }


def test_a_denominator_that_passes_zero_between_two_microseconds_is_unknown_nowhere() -> None:
    nodes = {
        **CLIMBING,
        "less": build_node("subtract", "for", value=0.0000025),
        "count": build_leaf("event_count"),
    }
    nodes["rate"] = build_node("divide", "count", "less")
    assert answer(nodes, build_event(10, on=True)) == {
        "x": [(None, (0.0, 0.0, -0.0000025, 0.0)), (10, (1.0, 0.0, -0.0000025, 1.0))]
    }


def test_two_climbing_numbers() -> None:
    nodes = {**CLIMBING, "off": build_node("not", "on"), "rest": build_node("duration_where", "off")}
    nodes |= {"all": build_node("add", "for", "rest"), "share": build_node("divide", "for", "all")}
    assert answer(nodes, build_event(1, on=True), build_event(4, on=False)) == {
        "x": [(None, None), (1.000001, (0.000001, 1.0, 0.000001, 1.0)), (4, (3.0, 0.0, 3.0, 1.0))]
    }


def test_a_ratio_by_zero_is_unknown() -> None:
    nodes = {
        **RATIO,
        "n": build_leaf("latest_event_to_state", field="n"),
        "share": build_node("divide", "rate", "n"),
    }
    result = answer(nodes, build_event(1, on=True, n=1), build_event(3, n=0), s=BOTH)["x"]
    assert [point[0] for point in result] == [None, 1.000001, 3]
    assert result[0][1] is result[2][1] is None


def test_a_ratio_is_no_denominator() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**RATIO, "share": build_node("divide", "count", "rate")}), {})
    assert [(problem.node, problem.port) for problem in refused.value.problems] == [("share", "other")]


def test_it_describes_itself() -> None:
    inputs = [("of", ["number", "ratio"], 1), ("other", ["number"], 0)]
    parameters = [("value", "number")]
    assert_declared("divide", category="timelines", inputs=inputs, parameters=parameters, output="number")
