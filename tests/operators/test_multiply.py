"""multiply: two numbers of which one is steady, or one and a value."""

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


def test_two_steady_numbers_unknown_while_either_is() -> None:
    nodes = {**NUMBER, "product": build_node("multiply", "n", "m")}
    result = answer(
        nodes, build_event(1, n=3), build_event(2, m=0.1), build_event(4, n=-3), build_event(5, m=0), s=BOTH
    )
    assert result == {"x": [(None, None), (2, 0.3), (4, -0.3), (5, 0.0)]}


def test_unknown_times_zero_is_unknown() -> None:
    assert answer(
        {**NUMBER, "product": build_node("multiply", "n", value=0)}, build_event(1), build_event(2, n=7)
    ) == {"x": [(None, None), (2, 0.0)]}


def test_a_value_turns_the_slope() -> None:
    nodes = {**CLIMBING, "product": build_node("multiply", "for", value=-0.5)}
    assert answer(nodes, build_event(1, on=True), build_event(4, on=False)) == {
        "x": [(None, 0.0), (1, 0.0, -0.5), (4, -1.5)]
    }


def test_zero_has_no_sign() -> None:
    for nodes in (
        {**NUMBER, "x": build_node("multiply", "n", value=-1)},
        {**NUMBER, "x": build_node("divide", "n", value=-2)},
    ):
        assert "-0.0" not in str(answer(nodes, build_event(1, n=0), build_event(2, n=3), build_event(3, n=0)))


@pytest.mark.parametrize("ports", [("for", "n"), ("n", "for")])
def test_a_climbing_number_by_a_steady_one_climbs_by_it_and_jumps_with_it(ports: tuple[str, str]) -> None:
    nodes = {
        **CLIMBING,
        "n": build_leaf("latest_event_to_state", field="n"),
        "product": build_node("multiply", *ports),
    }
    result = answer(nodes, build_event(1, on=True, n=2), build_event(4, n=3), build_event(6, on=False))
    assert result == {"x": [(None, None), (1, 0.0, 2.0), (4, 9.0, 3.0), (6, 15.0)]}


def test_by_zero_it_stands_still() -> None:
    nodes = {**CLIMBING, "product": build_node("multiply", "for", value=0)}
    assert answer(nodes, build_event(1, on=True), build_event(4, on=False)) == {"x": [(None, 0.0)]}


def test_of_a_ratio_the_numerator_is_multiplied() -> None:
    nodes = {**RATIO, "percent": build_node("multiply", "rate", value=100)}
    assert answer(nodes, build_event(1, on=True), build_event(3)) == {
        "x": [(None, None), (1.000001, (100.0, 0.0, 0.000001, 1.0)), (3, (200.0, 0.0, 2.0, 1.0))]
    }


def test_two_climbing_numbers_are_refused() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**CLIMBING, "square": build_node("multiply", "for", "for")}), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port) == ("square", "other")


def test_it_describes_itself() -> None:
    inputs = [("of", ["number", "ratio"], 1), ("other", ["number", "ratio"], 0)]
    parameters = [("value", "number")]
    assert_declared("multiply", category="timelines", inputs=inputs, parameters=parameters, output="number")
