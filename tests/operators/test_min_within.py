"""min_within: the least value of a steady number at any instant of the time just before."""

from __future__ import annotations

import pytest

from tests.operators.comparisons import CLIMBING
from tests.operators.reasons import NUMBERS, explain_at
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node, build_plan
from tests.operators.unknowns import HIDDEN
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

NODES = {"n": NUMBERS["n"], "least": build_node("min_within", "n", duration="5s")}


def test_a_value_counts_until_the_duration_after_it_was_replaced() -> None:
    events = build_event(1, n=4), build_event(2, n=-7), build_event(3, n=2), build_event(20, n=5)
    assert answer(NODES, *events) == {"x": [(None, None), (1, 4.0), (2, -7.0), (8, 2.0), (25, 5.0)]}


def test_unknown_values_are_left_out_and_it_is_unknown_where_none_was_known() -> None:
    nodes = {**HIDDEN, "least": build_node("min_within", "n", duration="5s")}
    events = build_event(1, n=3, show="yes"), build_event(3, show="no"), build_event(20, show="yes", n=4)
    assert answer(nodes, *events) == {"x": [(None, None), (1, 3.0), (8, None), (20, 4.0)]}


def test_time_counts_from_birth_on() -> None:
    nodes = {
        "count": build_leaf("event_count", where="n > 5"),
        "least": build_node("min_within", "count", duration="5s"),
    }
    assert answer(nodes, build_event(10), build_event(11, n=6)) == {"x": [(None, None), (10, 0.0), (16, 1.0)]}


def test_nothing_is_nothing_less_than_nothing() -> None:
    assert answer(NODES, build_event(1, n=0)) == {"x": [(None, None), (1, 0.0)]}
    assert "-0.0" not in str(answer(NODES, build_event(1, n=0)))


def test_it_says_why() -> None:
    events = build_event(1, n=4), build_event(2, n=2), build_event(3, n=7)
    assert explain_at(NODES, 6, *events)[0] == (
        "`min_within` is 2, the least in 5 s: `n` was 2 until 00:00:03, which is less than 5 s before."
    )


def test_a_climbing_number_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**CLIMBING, "least": build_node("min_within", "for", duration="5s")}), {})
    assert [problem.code for problem in refused.value.problems] == ["climbing_number"]


def test_it_describes_itself() -> None:
    inputs, parameters = [("of", ["number"], 1)], [("duration", "duration")]
    assert_declared("min_within", category="timelines", inputs=inputs, parameters=parameters, output="number")
