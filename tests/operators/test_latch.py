"""latch: true from what sets it until what resets it."""

from __future__ import annotations

from typing import Any

from tests.operators.reasons import explain_at
from tests.operators.small import answer, assert_declared, build_event, build_leaf

FIELDS = {
    "on": build_leaf("latest_event_to_state", field="on"),
    "off": build_leaf("latest_event_to_state", field="off"),
}
STREAM: dict[str, Any] = {"key": "k", "time": "t", "unit": "s", "fields": {"on": "bool", "off": "bool"}}
NODES = {**FIELDS, "latched": {"op": "latch", "inputs": {"set": "on", "reset": "off"}}}
CLEAR: dict[str, Any] = {"on": False, "off": False}


def compute_latch(*events: dict[str, Any]) -> list[tuple[Any, ...]]:
    return answer(NODES, *events, s=STREAM)["x"]


def test_it_stays_true_until_it_is_reset_and_false_until_it_is_set() -> None:
    events = (
        build_event(1, **CLEAR),
        build_event(2, on=True),
        build_event(3, on=False),
        build_event(6, off=True),
        build_event(7, off=False),
    )
    assert compute_latch(*events) == [(None, None), (1, False), (2, True), (6, False)]


def test_reset_wins_and_set_counts_again_once_reset_is_over() -> None:
    events = build_event(1, **CLEAR), build_event(2, on=True, off=True), build_event(5, off=False)
    assert compute_latch(*events) == [(None, None), (1, False), (5, True)]


def test_it_is_false_at_first() -> None:
    assert compute_latch(build_event(1, **CLEAR)) == [(None, None), (1, False)]


def test_an_unknown_reset_leaves_open_whether_it_is_true_and_changes_no_memory() -> None:
    assert compute_latch(build_event(1, on=False)) == [(None, None), (1, False)]
    assert compute_latch(build_event(1, on=True), build_event(2, on=False), build_event(3, off=False)) == [
        (None, None),
        (2, False),
    ]


def test_an_unknown_set_is_kleenes() -> None:
    assert compute_latch(build_event(1, off=True)) == [(None, None), (1, False)]
    assert compute_latch(build_event(1, off=False)) == [(None, None)]
    assert compute_latch(build_event(1, off=False), build_event(2, on=False)) == [(None, None), (2, False)]


def test_it_says_why() -> None:
    events = (
        build_event(1, **CLEAR),
        build_event(2, on=True),
        build_event(3, on=False),
        build_event(6, off=True),
        build_event(7, off=False),
    )
    assert explain_at(NODES, 1, *events, stream=STREAM) == (
        "`latch` is false because `on` has not set it.",
        "ends at 00:00:02, with a change of `on` to true",
        ["off", "on"],
    )
    assert (
        explain_at(NODES, 2, *events, stream=STREAM)[0]
        == "`latch` is true because `on` is true (since 00:00:02)."
    )
    assert explain_at(NODES, 4, *events, stream=STREAM)[0] == (
        "`latch` is true since 00:00:02, when `on` set it, and `off` has not been true since."
    )
    assert explain_at(NODES, 6, *events, stream=STREAM)[0] == (
        "`latch` is false because `off` is true (since 00:00:06), and reset wins."
    )
    assert explain_at(NODES, 9, *events, stream=STREAM)[0] == (
        "`latch` is false since 00:00:06, when `off` reset it, and `on` has not been true since."
    )
    assert (
        explain_at(NODES, 1, build_event(1, off=False), stream=STREAM)[0]
        == "`latch` is unknown because `on` is unknown."
    )


def test_it_describes_itself() -> None:
    inputs = [("set", ["bool"], 1), ("reset", ["bool"], 1)]
    assert_declared("latch", category="timelines", inputs=inputs, parameters=[], output="bool")
