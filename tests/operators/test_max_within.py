"""max_within: the greatest value of a steady number at any instant of the time just before."""

from __future__ import annotations

import pytest

from tests.operators.comparisons import CLIMBING
from tests.operators.reasons import NUMBERS, explain_at
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node, build_plan
from tests.operators.unknowns import HIDDEN
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

NODES = {"n": NUMBERS["n"], "greatest": build_node("max_within", "n", duration="5s")}


def test_a_value_counts_until_the_duration_after_it_was_replaced() -> None:
    events = build_event(1, n=2), build_event(2, n=7), build_event(3, n=4), build_event(20, n=1)
    assert answer(NODES, *events) == {"x": [(None, None), (1, 2.0), (2, 7.0), (8, 4.0), (25, 1.0)]}


def test_a_value_that_comes_and_goes_within_the_duration_is_seen() -> None:
    events = build_event(1, n=0), build_event(10, n=9), build_event(10.000001, n=0)
    assert answer(NODES, *events) == {"x": [(None, None), (1, 0.0), (10, 9.0), (15.000001, 0.0)]}


def test_of_many_values_in_one_window_the_greatest_counts() -> None:
    values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4]
    events = [build_event(10 + index / 10, n=value) for index, value in enumerate(values)]
    expected = [(None, None), (10, 3.0), (10.2, 4.0), (10.4, 5.0), (10.5, 9.0), (16.5, 8.0), (16.9, 4.0)]
    assert answer(NODES, *events) == {"x": expected}


def test_unknown_values_are_left_out_and_it_is_unknown_where_none_was_known() -> None:
    nodes = {**HIDDEN, "greatest": build_node("max_within", "n", duration="5s")}
    events = build_event(1, n=-3, show="yes"), build_event(3, show="no"), build_event(20, show="yes", n=-4)
    assert answer(nodes, *events) == {"x": [(None, None), (1, -3.0), (8, None), (20, -4.0)]}


def test_time_counts_from_birth_on() -> None:
    nodes = {
        "count": build_leaf("event_count", where="n > 5"),
        "greatest": build_node("max_within", "count", duration="5s"),
    }
    assert answer(nodes, build_event(10), build_event(11, n=6)) == {"x": [(None, None), (10, 0.0), (11, 1.0)]}


def test_it_says_why() -> None:
    events = build_event(1, n=2), build_event(2, n=7), build_event(3, n=4)
    assert (
        explain_at(NODES, 2.5, *events)[0]
        == "`max_within` is 7, the greatest in 5 s: `n` is 7 (since 00:00:02)."
    )
    assert explain_at(NODES, 6, *events) == (
        "`max_within` is 7, the greatest in 5 s: `n` was 7 until 00:00:03, which is less than 5 s before.",
        "ends at 00:00:08, as things stand",
        ["n"],
    )
    assert explain_at(NODES, 0.5, *events)[0].startswith(
        "`max_within` is unknown: `x` was born only at 00:00:01"
    )
    assert (
        explain_at(NODES, 2, build_event(1), build_event(3, n=4))[0]
        == "`max_within` is unknown because `n` is unknown."
    )


def test_a_climbing_number_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**CLIMBING, "greatest": build_node("max_within", "for", duration="5s")}), {})
    [problem] = refused.value.problems
    assert (problem.node, problem.port, problem.code) == ("greatest", "of", "climbing_number")
    assert problem.hint == "wire a field, a count or a sum of a field, which stand still between events"


def test_it_describes_itself() -> None:
    inputs, parameters = [("of", ["number"], 1)], [("duration", "duration")]
    assert_declared("max_within", category="timelines", inputs=inputs, parameters=parameters, output="number")
