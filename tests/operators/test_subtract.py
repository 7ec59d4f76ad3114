"""subtract: the second number, or a value, from the first."""

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

BOTH = {**STREAM, "fields": {"n": "number", "m": "number"}}


def test_two_numbers_unknown_while_either_is() -> None:
    nodes = {**NUMBER, "left": build_node("subtract", "n", "m")}
    result = answer(nodes, build_event(1, n=1), build_event(2, m=2.5), build_event(4, n=-3), s=BOTH)
    assert result == {"x": [(None, None), (2, -1.5), (4, -5.5)]}


def test_what_is_equal_leaves_nothing_at_all() -> None:
    nodes = {"sum": build_leaf("event_sum", field="n"), "left": build_node("subtract", "sum", value=0.3)}
    assert answer(nodes, build_event(1, n=0.1), build_event(2, n=0.2)) == {
        "x": [(None, -0.3), (1, -0.2), (2, 0.0)]
    }


def test_a_duration_counts_down() -> None:
    nodes = {**CLIMBING, "left": build_node("subtract", "for", value="5s")}
    assert answer(nodes, build_event(1, on=True), build_event(4, on=False)) == {
        "x": [(None, -5.0), (1, -5.0, 1.0), (4, -2.0)]
    }
    nodes = {**CLIMBING, "count": build_leaf("event_count"), "left": build_node("subtract", "count", "for")}
    assert answer(nodes, build_event(1, on=True), build_event(3)) == {
        "x": [(None, 0.0), (1, 1.0, -1.0), (3, 0.0, -1.0)]
    }


def test_a_climbing_number_less_itself_is_zero() -> None:
    nodes = {**CLIMBING, "left": build_node("subtract", "for", "for")}
    assert answer(nodes, build_event(1, on=True), build_event(4, on=False)) == {"x": [(None, 0.0)]}


def test_slopes_are_decimals_too() -> None:
    nodes = {
        **CLIMBING,
        "more": build_node("multiply", "for", value=1.000001),
        "left": build_node("subtract", "more", "for"),
    }
    assert answer(nodes, build_event(1, on=True)) == {"x": [(None, 0.0), (1, 0.0, 0.000001)]}


def test_it_is_not_symmetric() -> None:
    nodes = {
        **NUMBER,
        "one": build_node("subtract", "n", "m"),
        "two": build_node("subtract", "m", "n"),
        "both": build_node("add", "one", "two"),
    }
    assert answer(nodes, build_event(1, n=3, m=1), s=BOTH) == {"x": [(None, None), (1, 0.0)]}
    assert answer({**NUMBER, "two": nodes["two"]}, build_event(1, n=3, m=1), s=BOTH) == {
        "x": [(None, None), (1, -2.0)]
    }


def test_a_ratio_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**RATIO, "left": build_node("subtract", "count", "rate")}), {})
    assert [problem.node for problem in refused.value.problems] == ["left"]


def test_it_describes_itself() -> None:
    inputs = [("of", ["number"], 1), ("other", ["number"], 0)]
    parameters = [("value", "number")]
    assert_declared("subtract", category="timelines", inputs=inputs, parameters=parameters, output="number")
