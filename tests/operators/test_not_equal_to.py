"""not_equal_to: the opposite of equal_to, unknown where that is."""

from __future__ import annotations

from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node

STATE = {"state": build_leaf("latest_event_to_state", field="state")}
NUMBER = {"n": build_leaf("latest_event_to_state", field="n")}
FLAG = {"on": build_leaf("latest_event_to_state", field="on")}


def test_unknown_while_the_state_is_unknown() -> None:
    nodes = {**STATE, "other": build_node("not_equal_to", "state", value="play")}
    result = answer(nodes, build_event(1), build_event(2, state="play"), build_event(3, state="stop"))
    assert result == {"x": [(None, None), (2, False), (3, True)]}


def test_bools_numbers_and_counts() -> None:
    nodes = {**FLAG, "other": build_node("not_equal_to", "on", value=False)}
    assert answer(nodes, build_event(1, on=True), build_event(2, on=False)) == {
        "x": [(None, None), (1, True), (2, False)]
    }
    nodes = {**NUMBER, "other": build_node("not_equal_to", "n", value=2)}
    assert answer(nodes, build_event(1, n=2), build_event(2, n=2.5)) == {
        "x": [(None, None), (1, False), (2, True)]
    }
    nodes = {"count": build_leaf("event_count"), "other": build_node("not_equal_to", "count", value=1)}
    assert answer(nodes, build_event(1), build_event(2)) == {"x": [(None, True), (1, False), (2, True)]}


def test_two_states() -> None:
    nodes = {
        **STATE,
        "cdn": build_leaf("latest_event_to_state", field="cdn"),
        "o": build_node("not_equal_to", "state", "cdn"),
    }
    result = answer(
        nodes,
        build_event(1, state="a"),
        build_event(2, cdn="b"),
        build_event(3, state="b"),
        build_event(4, cdn="c"),
    )
    assert result == {"x": [(None, None), (2, True), (3, False), (4, True)]}


def test_decimals_are_as_they_are_written() -> None:
    nodes = {"sum": build_leaf("event_sum", field="n"), "other": build_node("not_equal_to", "sum", value=0.3)}
    assert answer(nodes, build_event(1, n=0.1), build_event(2, n=0.2)) == {"x": [(None, True), (2, False)]}


def test_it_describes_itself() -> None:
    inputs = [("of", ["text", "bool", "number"], 1), ("other", ["text", "bool", "number"], 0)]
    parameters = [("value", "value")]
    assert_declared("not_equal_to", category="timelines", inputs=inputs, parameters=parameters, output="bool")
