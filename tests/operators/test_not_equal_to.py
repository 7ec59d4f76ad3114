"""not_equal_to: the opposite of equal_to, unknown where that is."""

from __future__ import annotations

from tests.operators.small import answer, assert_declared, event, leaf, node

STATE = {"state": leaf("latest_event_to_state", field="state")}
NUMBER = {"n": leaf("latest_event_to_state", field="n")}
FLAG = {"on": leaf("latest_event_to_state", field="on")}


def test_unknown_while_the_state_is_unknown() -> None:
    nodes = {**STATE, "other": node("not_equal_to", "state", value="play")}
    result = answer(nodes, event(1), event(2, state="play"), event(3, state="stop"))
    assert result == {"x": [(None, None), (2, False), (3, True)]}


def test_bools_numbers_and_counts() -> None:
    nodes = {**FLAG, "other": node("not_equal_to", "on", value=False)}
    assert answer(nodes, event(1, on=True), event(2, on=False)) == {
        "x": [(None, None), (1, True), (2, False)]
    }
    nodes = {**NUMBER, "other": node("not_equal_to", "n", value=2)}
    assert answer(nodes, event(1, n=2), event(2, n=2.5)) == {"x": [(None, None), (1, False), (2, True)]}
    nodes = {"count": leaf("event_count"), "other": node("not_equal_to", "count", value=1)}
    assert answer(nodes, event(1), event(2)) == {"x": [(None, True), (1, False), (2, True)]}


def test_two_states() -> None:
    nodes = {
        **STATE,
        "cdn": leaf("latest_event_to_state", field="cdn"),
        "o": node("not_equal_to", "state", "cdn"),
    }
    result = answer(nodes, event(1, state="a"), event(2, cdn="b"), event(3, state="b"), event(4, cdn="c"))
    assert result == {"x": [(None, None), (2, True), (3, False), (4, True)]}


def test_decimals_are_as_they_are_written() -> None:
    nodes = {"sum": leaf("event_sum", field="n"), "other": node("not_equal_to", "sum", value=0.3)}
    assert answer(nodes, event(1, n=0.1), event(2, n=0.2)) == {"x": [(None, True), (2, False)]}


def test_it_describes_itself() -> None:
    inputs = [("of", ["text", "bool", "number"], 1), ("other", ["text", "bool", "number"], 0)]
    parameters = [("value", "value")]
    assert_declared("not_equal_to", category="timelines", inputs=inputs, parameters=parameters, output="bool")
