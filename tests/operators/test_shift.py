"""shift: the same timeline, later."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.comparisons import CLIMBING, RATIO
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node


@pytest.mark.parametrize(
    ("field", "values"), [("state", ("a", "b")), ("n", (1.0, 2.5)), ("on", (True, False))]
)
def test_every_change_comes_later(field: str, values: tuple[Any, Any]) -> None:
    nodes = {
        "leaf": build_leaf("latest_event_to_state", field=field),
        "later": build_node("shift", "leaf", duration="3s"),
    }
    result = answer(nodes, build_event(1, **{field: values[0]}), build_event(5, **{field: values[1]}))
    assert result == {"x": [(None, None), (4, values[0]), (8, values[1])]}


def test_what_holds_since_ever_still_does() -> None:
    nodes = {
        "seen": build_leaf("has_existed", where="n > 1"),
        "later": build_node("shift", "seen", duration="1us"),
    }
    assert answer(nodes, build_event(2, n=2)) == {"x": [(None, False), (2.000001, True)]}


def test_lines_keep_their_slopes_and_ratios_both() -> None:
    nodes = {**CLIMBING, "later": build_node("shift", "for", duration="500ms")}
    assert answer(nodes, build_event(1, on=True), build_event(4, on=False)) == {
        "x": [(None, 0.0), (1.5, 0.0, 1.0), (4.5, 3.0)]
    }
    nodes = {**RATIO, "later": build_node("shift", "rate", duration="1s")}
    assert answer(nodes, build_event(1, on=True)) == {
        "x": [(None, None), (2.000001, (1.0, 0.0, 0.000001, 1.0))]
    }


def test_birth_stays() -> None:
    """`never` is true since ever, and counts from the first event on, later or not."""
    nodes = {"seen": build_leaf("has_existed", where="n > 1"), "never": build_node("not", "seen")}
    nodes |= {
        "later": build_node("shift", "never", duration="3s"),
        "for": build_node("duration_where", "later"),
    }
    assert answer(nodes, build_event(10), build_event(14, n=2)) == {
        "x": [(None, 0.0), (10, 0.0, 1.0), (17, 7.0)]
    }


def test_the_value_of_ten_seconds_ago_beside_the_value_now() -> None:
    nodes = {"count": build_leaf("event_count"), "before": build_node("shift", "count", duration="10s")}
    nodes["lately"] = build_node("subtract", "count", "before")
    result = answer(nodes, build_event(1), build_event(5), build_event(12))
    assert result == {"x": [(None, 0.0), (1, 1.0), (5, 2.0), (11, 1.0), (12, 2.0), (15, 1.0), (22, 0.0)]}


def test_it_describes_itself() -> None:
    inputs = [("of", ["text", "bool", "number", "ratio"], 1)]
    parameters = [("duration", "duration")]
    assert_declared("shift", category="timelines", inputs=inputs, parameters=parameters, output="any")
