"""shift: the same timeline, later."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.comparisons import CLIMBING, RATIO
from tests.operators.small import answer, assert_declared, event, leaf, node


@pytest.mark.parametrize(
    ("field", "values"), [("state", ("a", "b")), ("n", (1.0, 2.5)), ("on", (True, False))]
)
def test_every_change_comes_later(field: str, values: tuple[Any, Any]) -> None:
    nodes = {
        "leaf": leaf("latest_event_to_state", field=field),
        "later": node("shift", "leaf", duration="3s"),
    }
    result = answer(nodes, event(1, **{field: values[0]}), event(5, **{field: values[1]}))
    assert result == {"x": [(None, None), (4, values[0]), (8, values[1])]}


def test_what_holds_since_ever_still_does() -> None:
    nodes = {"seen": leaf("has_existed", where="n > 1"), "later": node("shift", "seen", duration="1us")}
    assert answer(nodes, event(2, n=2)) == {"x": [(None, False), (2.000001, True)]}


def test_lines_keep_their_slopes_and_ratios_both() -> None:
    nodes = {**CLIMBING, "later": node("shift", "for", duration="500ms")}
    assert answer(nodes, event(1, on=True), event(4, on=False)) == {
        "x": [(None, 0.0), (1.5, 0.0, 1.0), (4.5, 3.0)]
    }
    nodes = {**RATIO, "later": node("shift", "rate", duration="1s")}
    assert answer(nodes, event(1, on=True)) == {"x": [(None, None), (2.000001, (1.0, 0.0, 0.000001, 1.0))]}


def test_birth_stays() -> None:
    """`never` is true since ever, and counts from the first event on, later or not."""
    nodes = {"seen": leaf("has_existed", where="n > 1"), "never": node("not", "seen")}
    nodes |= {"later": node("shift", "never", duration="3s"), "for": node("duration_where", "later")}
    assert answer(nodes, event(10), event(14, n=2)) == {"x": [(None, 0.0), (10, 0.0, 1.0), (17, 7.0)]}


def test_the_value_of_ten_seconds_ago_beside_the_value_now() -> None:
    nodes = {"count": leaf("event_count"), "before": node("shift", "count", duration="10s")}
    nodes["lately"] = node("subtract", "count", "before")
    result = answer(nodes, event(1), event(5), event(12))
    assert result == {"x": [(None, 0.0), (1, 1.0), (5, 2.0), (11, 1.0), (12, 2.0), (15, 1.0), (22, 0.0)]}


def test_it_describes_itself() -> None:
    inputs = [("of", ["text", "bool", "number", "ratio"], 1)]
    parameters = [("duration", "duration")]
    assert_declared("shift", category="timelines", inputs=inputs, parameters=parameters, output="any")
