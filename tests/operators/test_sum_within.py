"""sum_within: the sum of a field over the matching events in (t - duration, t]."""

from __future__ import annotations

import pytest

from tests.operators.reasons import explain_at, list_boundaries
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

SUM = {"sum": build_leaf("sum_within", field="n", duration="5s")}


def test_what_leaves_takes_with_it_what_it_brought() -> None:
    result = answer(SUM, build_event(1, n=2), build_event(3, n=5), build_event(4), build_event(20, n=1))
    assert result == {"x": [(None, None), (1, 2.0), (3, 7.0), (6, 5.0), (8, 0.0), (20, 1.0), (25, 0.0)]}


def test_only_matching_events_that_have_the_field_are_added() -> None:
    nodes = {"sum": build_leaf("sum_within", field="n", where="on == true", duration="5s")}
    result = answer(
        nodes,
        build_event(0),
        build_event(1, n=2),
        build_event(2, n=3, on=True),
        build_event(3, n=5, on=False),
    )
    assert result == {"x": [(None, None), (0, 0.0), (2, 3.0), (7, 0.0)]}


def test_decimals_are_added_as_they_are_written_and_cancel_exactly() -> None:
    tenths = [build_event(second / 10, n=0.1) for second in range(1_000)]
    points = answer(SUM, *tenths, build_event(300, n=0.3))["x"]
    assert [value for _, value in points[1:51]] == [tenth / 10 for tenth in range(1, 51)]
    assert points[50:52] == [(4.9, 5.0), (100, 4.9)]
    assert points[-3:] == [(104.9, 0.0), (300, 0.3), (305, 0.0)]


def test_a_large_number_that_leaves_takes_no_small_one_with_it() -> None:
    result = answer(SUM, build_event(1, n=9e15), build_event(2, n=0.000001))
    assert result == {"x": [(None, None), (1, 9e15), (6, 0.000001), (7, 0.0)]}


def test_what_is_computed_is_added() -> None:
    nodes = {"sum": build_leaf("sum_within", field="= n * 2", duration="5s")}
    assert answer(nodes, build_event(1, n=2), build_event(2))["x"] == [(None, None), (1, 4.0), (6, 0.0)]


def test_a_text_is_not_summed() -> None:
    with pytest.raises(Refused, match="state is text; only numbers have a sum") as refused:
        compile_plan(build_plan({"sum": build_leaf("sum_within", field="state", duration="5s")}), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port) == ("sum", "field")


def test_it_says_why() -> None:
    events = build_event(1, n=2), build_event(2), build_event(3, n=5)
    assert explain_at(SUM, 4, *events)[:2] == (
        "`sum_within` is 7, the sum of `n` of the events in the 5 s before.",
        "ends at 00:00:06, when other events lie in the 5 s before",
    )
    assert list_boundaries(SUM, 4, *events) == [(1, 1), (3, 1)]
    matching = {"sum": build_leaf("sum_within", field="n", where="on == true", duration="5s")}
    assert explain_at(matching, 4, *events)[:2] == (
        "`sum_within` is 0, the sum of `n` of the events with `on == true` in the 5 s before.",
        "changes with the next event with `on == true` and `n`",
    )


def test_it_describes_itself() -> None:
    parameters = [("field", "field"), ("where", "predicate"), ("duration", "duration"), ("side", "choice")]
    assert_declared(
        "sum_within",
        category="stream",
        inputs=[("while", ["bool"], 0)],
        parameters=parameters,
        output="number",
    )
