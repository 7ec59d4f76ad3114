"""event_sum: the running sum of a field."""

from __future__ import annotations

import pytest

from tests.operators.small import STREAM, answer, assert_declared, event, leaf, plan
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

SUM = {"sum": leaf("event_sum", field="n")}


def test_zero_before_the_first_then_the_sum_so_far() -> None:
    found = answer(SUM, event(1, n=2), event(3, n=-0.5), event(7, n=4))
    assert found == {"x": [(None, 0.0), (1, 2.0), (3, 1.5), (7, 5.5)]}


def test_an_event_without_the_field_adds_nothing() -> None:
    assert answer(SUM, event(1), event(2, n=3), event(4, n=None)) == {"x": [(None, 0.0), (2, 3.0)]}


def test_only_matching_events_are_added() -> None:
    nodes = {"sum": leaf("event_sum", field="n", where="on == true")}
    found = answer(nodes, event(1, n=2), event(2, n=3, on=True), event(3, n=5, on=False), event(4, on=True))
    assert found == {"x": [(None, 0.0), (2, 3.0)]}


def test_events_at_once_are_added_together_and_what_cancels_is_no_change() -> None:
    assert answer(SUM, event(1, n=2), event(1, n=2), event(3, n=7), event(3, n=-7)) == {
        "x": [(None, 0.0), (1, 4.0)]
    }


def test_decimals_are_added_as_they_are_written_in_whatever_order() -> None:
    assert answer(SUM, event(1, n=0.1), event(2, n=0.2)) == {"x": [(None, 0.0), (1, 0.1), (2, 0.3)]}
    assert answer(SUM, event(1, n=0.1), event(2, n=0.2), event(3, n=-0.3))["x"][-1] == (3, 0.0)
    tenths = [event(second, n=0.1) for second in range(1, 101)]
    assert answer(SUM, *tenths)["x"][-1] == (100, 10.0)
    assert answer(SUM, *reversed(tenths))["x"][30] == (30, 3.0)


def test_a_small_number_is_not_lost_beside_a_large_one() -> None:
    found = answer(SUM, event(1, n=1e9), event(2, n=0.000001), event(3, n=-1e9))
    assert found == {"x": [(None, 0.0), (1, 1e9), (2, 1000000000.000001), (3, 0.000001)]}


def test_copies_with_one_id_are_added_once() -> None:
    found = answer(SUM, event(1, id="a", n=2), event(1, id="a", n=2), s={**STREAM, "id": "id"})
    assert found == {"x": [(None, 0.0), (1, 2.0)]}


def test_a_text_is_not_summed() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(plan({"sum": leaf("event_sum", field="state")}), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port) == ("sum", "field")


def test_it_describes_itself() -> None:
    parameters = [("field", "field"), ("where", "predicate")]
    assert_declared("event_sum", category="stream", inputs=[], parameters=parameters, output="number")
