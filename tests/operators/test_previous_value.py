"""previous_value: the value of the last known piece before the current known one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.operators.reasons import explain_at
from tests.operators.small import SECOND, answer, assert_declared, build_event, build_leaf, build_node
from timeline_app.algebra.kinds import BEGINNING, Kind
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines, build_timelines
from timeline_app.operators import operators

STREAM: dict[str, Any] = {
    "key": "k",
    "time": "t",
    "unit": "s",
    "fields": {"state": "text", "on": "bool", "n": "number"},
}
STATE = build_leaf("latest_event_to_state", field="state")
NODES = {"state": STATE, "before": build_node("previous_value", "state")}
KNOWN = {
    "on": build_leaf("latest_event_to_state", field="on"),
    "all": STATE,
    "state": {"op": "when", "inputs": {"if": "on", "of": "all"}},
    "before": build_node("previous_value", "state"),
}
"""`state` is known only while `on` is true."""
STATES = (
    build_event(1, state="a"),
    build_event(3, state="b"),
    build_event(4, state="b"),
    build_event(6, state="a"),
)


def compute_previous(nodes: dict[str, Any], *events: dict[str, Any]) -> list[tuple[Any, ...]]:
    return answer(nodes, *events, s=STREAM)["x"]


def test_it_is_what_the_state_was_before_its_current_value() -> None:
    assert compute_previous(NODES, *STATES) == [(None, None), (3, "a"), (6, "b")]


@pytest.mark.parametrize(("field", "values"), [("on", (True, False)), ("n", (1.5, 0.1))])
def test_it_takes_bools_and_numbers(field: str, values: tuple[Any, Any]) -> None:
    nodes = {
        "x": build_leaf("latest_event_to_state", field=field),
        "before": build_node("previous_value", "x"),
    }
    first, second = values
    events = (
        build_event(1, **{field: first}),
        build_event(3, **{field: second}),
        build_event(5, **{field: first}),
    )
    assert compute_previous(nodes, *events) == [(None, None), (3, first), (5, second)]


def test_a_value_held_since_ever_is_one_too() -> None:
    nodes = {
        "seen": build_leaf("has_existed", where="on == true"),
        "before": build_node("previous_value", "seen"),
    }
    assert compute_previous(nodes, build_event(2, on=True)) == [(None, None), (2, False)]


def test_after_a_stretch_of_unknown_it_may_be_the_same() -> None:
    events = (
        build_event(1, on=True, state="a"),
        build_event(3, on=False),
        build_event(5, on=True),
        build_event(7, state="b"),
    )
    assert compute_previous(KNOWN, *events) == [(None, None), (5, "a")]


def test_it_is_unknown_while_the_state_is() -> None:
    events = (
        build_event(1, on=True, state="a"),
        build_event(2, state="b"),
        build_event(3, on=False),
        build_event(5, on=True),
    )
    assert compute_previous(KNOWN, *events) == [(None, None), (2, "a"), (3, None), (5, "b")]


def build_states(*pieces: tuple[int, int]) -> Timelines:
    """A text of one key: (second, 0: `a`, 1: `b`, -1: unknown), unknown before."""
    time = np.array([BEGINNING, *(at * SECOND for at, _ in pieces)])
    value = np.array([-1, *(code for _, code in pieces)], dtype=np.int32)
    names, labels = np.array(["x"], dtype=object), np.array(["a", "b"], dtype=object)
    return build_timelines(
        Kind.TEXT, names, np.array([SECOND]), np.zeros(len(time), np.int64), time, value, labels=labels
    )


@pytest.mark.parametrize(
    ("at", "kept"), [(1, None), (2, "a"), (3, "a"), (4, "b"), (5, "b"), (6, "b"), (8, "a")]
)
def test_of_a_folded_key_it_remembers_a_text(at: int, kept: str | None) -> None:
    op, whole = operators()["previous_value"], build_states((1, 0), (2, 1), (4, -1), (6, 0), (8, 1))
    instant, later = np.array([at * SECOND]), np.array([7 * SECOND])
    assert op.memory is not None
    assert op.memory.texts is not None
    texts = op.memory.texts(of=whole, at=instant, carried=None)
    assert texts.tolist() == [kept]
    carried = Carried(instant, np.zeros((1, 0), dtype=np.int64), texts)
    again = op.apply(whole, carried=carried)
    points = [point for point in op.apply(whole).points(0) if point[0] is not None and point[0] > at * SECOND]
    assert [point for point in again.points(0) if point[0] is not None and point[0] > at * SECOND] == points
    if at < 7:
        assert op.memory.texts(of=whole, at=later, carried=carried).tolist() == ["b"]


def test_of_no_keys_there_is_nothing() -> None:
    nobody = build_states().take(np.empty(0, dtype=np.int64))
    assert operators()["previous_value"].apply(nobody).size == 0


def test_it_says_why() -> None:
    assert explain_at(NODES, 7, *STATES, stream=STREAM) == (
        '`previous_value` is "b" because `state` was that until 00:00:06, and has been "a" since 00:00:06.',
        "ends when `state` changes",
        ["state"],
    )
    assert explain_at(NODES, 2, *STATES, stream=STREAM)[0] == (
        '`previous_value` is unknown because `state` has had no other known value before "a".'
    )
    assert (
        explain_at(NODES, 0, *STATES, stream=STREAM)[0]
        == "`previous_value` is unknown because `state` is unknown."
    )
    gap = build_event(1, on=True, state="a"), build_event(3, on=False), build_event(5, on=True)
    assert explain_at(KNOWN, 6, *gap, stream=STREAM)[0] == (
        '`previous_value` is "a" because `state` was that until 00:00:03, and has been "a" since 00:00:05.'
    )


def test_it_describes_itself() -> None:
    inputs = [("of", ["text", "bool", "number"], 1)]
    assert_declared("previous_value", category="timelines", inputs=inputs, parameters=[], output="any")
