"""add: two numbers, or one and a value."""

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


def test_two_numbers_unknown_while_either_is() -> None:
    nodes = {**NUMBER, "sum": build_node("add", "n", "m")}
    result = answer(nodes, build_event(1, n=1), build_event(2, m=2.5), build_event(4, n=-3), s=BOTH)
    assert result == {"x": [(None, None), (2, 3.5), (4, -0.5)]}


def test_decimals_are_added_as_they_are_written() -> None:
    nodes = {**NUMBER, "sum": build_node("add", "n", "m"), "same": build_node("equal_to", "sum", value=0.3)}
    assert answer(nodes, build_event(1, n=0.1, m=0.2), s=BOTH) == {"x": [(None, None), (1, True)]}


def test_a_value_or_a_duration() -> None:
    nodes = {"count": build_leaf("event_count"), "sum": build_node("add", "count", value=0.5)}
    assert answer(nodes, build_event(1), build_event(2)) == {"x": [(None, 0.5), (1, 1.5), (2, 2.5)]}
    nodes["sum"] = build_node("add", "count", value="10min")
    assert answer(nodes, build_event(1)) == {"x": [(None, 600.0), (1, 601.0)]}


def test_slopes_add_up() -> None:
    nodes = {**CLIMBING, "twice": build_node("add", "for", "for")}
    assert answer(nodes, build_event(1, on=True), build_event(4, on=False)) == {
        "x": [(None, 0.0), (1, 0.0, 2.0), (4, 6.0)]
    }
    nodes = {**CLIMBING, "count": build_leaf("event_count"), "sum": build_node("add", "for", "count")}
    result = answer(nodes, build_event(1, on=True), build_event(3), build_event(4, on=False))
    assert result == {"x": [(None, 0.0), (1, 1.0, 1.0), (3, 4.0, 1.0), (4, 6.0)]}


def test_slopes_are_decimals_too() -> None:
    nodes = {
        **CLIMBING,
        "tenth": build_node("multiply", "for", value=0.1),
        "fifth": build_node("multiply", "for", value=0.2),
    }
    nodes["sum"] = build_node("add", "tenth", "fifth")
    assert answer(nodes, build_event(1, on=True)) == {"x": [(None, 0.0), (1, 0.0, 0.3)]}


def test_what_stays_on_one_line_is_no_change() -> None:
    nodes = {**CLIMBING, "off": build_node("not", "on"), "rest": build_node("duration_where", "off")}
    nodes["sum"] = build_node("add", "for", "rest")
    result = answer(nodes, build_event(1, on=True), build_event(4, on=False), build_event(9, on=True))
    assert result == {"x": [(None, 0.0), (1, 0.0, 1.0)]}


def test_a_ratio_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**RATIO, "sum": build_node("add", "rate", value=1)}), {})
    assert [problem.node for problem in refused.value.problems] == ["sum"]


def test_it_describes_itself() -> None:
    inputs = [("of", ["number"], 1), ("other", ["number"], 0)]
    parameters = [("value", "number")]
    assert_declared("add", category="timelines", inputs=inputs, parameters=parameters, output="number")
