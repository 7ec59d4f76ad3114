"""equal_to: a state against a value or another state."""

from __future__ import annotations

import pytest

from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

STATE = {"state": build_leaf("latest_event_to_state", field="state")}
CDN = {"cdn": build_leaf("latest_event_to_state", field="cdn")}
NUMBER = {"n": build_leaf("latest_event_to_state", field="n")}
FLAG = {"on": build_leaf("latest_event_to_state", field="on")}


def test_unknown_while_the_state_is_unknown() -> None:
    nodes = {**STATE, "same": build_node("equal_to", "state", value="play")}
    result = answer(nodes, build_event(1), build_event(2, state="play"), build_event(3, state="stop"))
    assert result == {"x": [(None, None), (2, True), (3, False)]}


def test_a_value_that_no_event_ever_had() -> None:
    nodes = {**STATE, "same": build_node("equal_to", "state", value="nowhere")}
    assert answer(nodes, build_event(2, state="play")) == {"x": [(None, None), (2, False)]}


def test_bools_and_steady_numbers() -> None:
    result = answer(
        {**FLAG, "same": build_node("equal_to", "on", value=False)},
        build_event(1, on=True),
        build_event(2, on=False),
    )
    assert result == {"x": [(None, None), (1, False), (2, True)]}
    result = answer(
        {**NUMBER, "same": build_node("equal_to", "n", value=2)}, build_event(1, n=2), build_event(2, n=2.5)
    )
    assert result == {"x": [(None, None), (1, True), (2, False)]}


def test_the_very_number_and_not_one_beside_it() -> None:
    nodes = {**NUMBER, "same": build_node("equal_to", "n", value=0.3)}
    result = answer(nodes, build_event(1, n=0.1 + 0.2), build_event(2, n=0.3))
    assert result == {"x": [(None, None), (1, False), (2, True)]}


def test_two_states_unknown_while_either_is() -> None:
    nodes = {**STATE, **CDN, "same": build_node("equal_to", "state", "cdn")}
    result = answer(
        nodes,
        build_event(1, state="a"),
        build_event(2, cdn="b"),
        build_event(3, state="b"),
        build_event(4, cdn="c"),
    )
    assert result == {"x": [(None, None), (2, False), (3, True), (4, False)]}


def test_a_state_is_equal_to_itself_once_it_is_known() -> None:
    nodes = {**STATE, "same": build_node("equal_to", "state", "state")}
    assert answer(nodes, build_event(1), build_event(2, state="a")) == {"x": [(None, None), (2, True)]}


def test_the_empty_text_is_a_text() -> None:
    nodes = {**STATE, "same": build_node("equal_to", "state", value="")}
    assert answer(nodes, build_event(1, state=""), build_event(2, state="a")) == {
        "x": [(None, None), (1, True), (2, False)]
    }


def test_a_climbing_number_is_refused_with_the_hint() -> None:
    nodes = {
        **FLAG,
        "for": build_node("duration_where", "on"),
        "same": build_node("equal_to", "for", value=1),
    }
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan(nodes), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port, problem.code) == ("same", "of", "climbing_number")
    assert "greater_than" in problem.hint


def test_it_describes_itself() -> None:
    inputs = [("of", ["text", "bool", "number"], 1), ("other", ["text", "bool", "number"], 0)]
    parameters = [("value", "value")]
    assert_declared("equal_to", category="timelines", inputs=inputs, parameters=parameters, output="bool")
