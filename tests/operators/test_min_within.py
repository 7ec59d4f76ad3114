"""min_within: the least value of a steady number at any instant of the time just before."""

from __future__ import annotations

import pytest

from tests.operators.comparisons import CLIMBING
from tests.operators.reasons import NUMBERS, explain_at
from tests.operators.small import answer, assert_declared, event, leaf, node, plan
from tests.operators.unknowns import HIDDEN
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

NODES = {"n": NUMBERS["n"], "least": node("min_within", "n", duration="5s")}


def test_a_value_counts_until_the_duration_after_it_was_replaced() -> None:
    events = event(1, n=4), event(2, n=-7), event(3, n=2), event(20, n=5)
    assert answer(NODES, *events) == {"x": [(None, None), (1, 4.0), (2, -7.0), (8, 2.0), (25, 5.0)]}


def test_unknown_values_are_left_out_and_it_is_unknown_where_none_was_known() -> None:
    nodes = {**HIDDEN, "least": node("min_within", "n", duration="5s")}
    events = event(1, n=3, show="yes"), event(3, show="no"), event(20, show="yes", n=4)
    assert answer(nodes, *events) == {"x": [(None, None), (1, 3.0), (8, None), (20, 4.0)]}


def test_time_counts_from_birth_on() -> None:
    nodes = {"count": leaf("event_count", where="n > 5"), "least": node("min_within", "count", duration="5s")}
    assert answer(nodes, event(10), event(11, n=6)) == {"x": [(None, None), (10, 0.0), (16, 1.0)]}


def test_nothing_is_nothing_less_than_nothing() -> None:
    assert answer(NODES, event(1, n=0)) == {"x": [(None, None), (1, 0.0)]}
    assert "-0.0" not in str(answer(NODES, event(1, n=0)))


def test_it_says_why() -> None:
    events = event(1, n=4), event(2, n=2), event(3, n=7)
    assert explain_at(NODES, 6, *events)[0] == (
        "`min_within` is 2, the least in 5 s: `n` was 2 until 00:00:03, which is less than 5 s before."
    )


def test_a_climbing_number_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(plan({**CLIMBING, "least": node("min_within", "for", duration="5s")}), {})
    assert [problem.code for problem in refused.value.problems] == ["climbing_number"]


def test_it_describes_itself() -> None:
    inputs, parameters = [("of", ["number"], 1)], [("duration", "duration")]
    assert_declared("min_within", category="timelines", inputs=inputs, parameters=parameters, output="number")
