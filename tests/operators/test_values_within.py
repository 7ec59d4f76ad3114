"""values_within: what the values of the matching events in (t - duration, t] come to."""

from __future__ import annotations

from math import sqrt
from typing import Any

import pytest

from tests.operators.reasons import explain_at, list_boundaries
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
from timeline_app.operators import operators
from timeline_app.plan import Refused
from timeline_app.testing import keeps_its_laws

NUMBERS = ("mean", "min", "max", "deviation")
FUNCTIONS = (*NUMBERS, "distinct", "first", "last")


def compute_values(function: str, *events: Any, field: str = "n", **params: Any) -> Any:
    """The points of the one key after its birth."""
    nodes = {"x": build_leaf("values_within", field=field, duration="5s", function=function, **params)}
    begin, *rest = answer(nodes, *events)["x"]
    assert begin == (None, None)
    return rest


EVENTS = build_event(1, n=2), build_event(3, n=5), build_event(3.5), build_event(4, n=2), build_event(20, n=1)


def test_of_numbers() -> None:
    assert compute_values("mean", *EVENTS) == [
        (1, 2.0), (3, 3.5), (4, 3.0), (6, 3.5), (8, 2.0), (9, None), (20, 1.0), (25, None),
    ]  # fmt: skip
    assert compute_values("min", *EVENTS) == [(1, 2.0), (9, None), (20, 1.0), (25, None)]
    assert compute_values("max", *EVENTS) == [(1, 2.0), (3, 5.0), (8, 2.0), (9, None), (20, 1.0), (25, None)]
    assert compute_values("deviation", *EVENTS) == [(3, 1.5), (4, sqrt(2)), (6, 1.5), (8, None)]


def test_of_anything() -> None:
    cards = [build_event(second, card=card) for second, card in ((1, "A"), (2, "B"), (3, "A"), (9, "C"))]
    assert compute_values("distinct", *cards, field="card") == [
        (1, 1.0), (2, 2.0), (7, 1.0), (8, 0.0), (9, 1.0), (14, 0.0),
    ]  # fmt: skip
    assert compute_values("first", *cards, field="card") == [
        (1, "A"), (6, "B"), (7, "A"), (8, None), (9, "C"), (14, None),
    ]  # fmt: skip
    assert compute_values("last", *cards, field="card") == [
        (1, "A"), (2, "B"), (3, "A"), (8, None), (9, "C"), (14, None),
    ]  # fmt: skip
    bools = build_event(1, on=True), build_event(2, on=False), build_event(3, on=False)
    assert compute_values("distinct", *bools, field="on") == [(1, 1.0), (2, 2.0), (6, 1.0), (8, 0.0)]
    assert compute_values("first", *bools, field="on") == [(1, True), (6, False), (8, None)]


def test_a_value_that_comes_again_as_it_leaves_is_there_all_the_time() -> None:
    cards = build_event(1, card="A"), build_event(6, card="A"), build_event(11.000001, card="A")
    assert compute_values("distinct", *cards, field="card") == [
        (1, 1.0), (11, 0.0), (11.000001, 1.0), (16.000001, 0.0),
    ]  # fmt: skip


def test_only_matching_events_that_have_the_field_count() -> None:
    events = build_event(0), build_event(1, n=3, on=True), build_event(2, n=9), build_event(3, on=True)
    assert compute_values("max", *events, where="on == true") == [(1, 3.0), (6, None)]
    assert compute_values("distinct", *events, where="on == true") == [(0, 0.0), (1, 1.0), (6, 0.0)]


def test_of_one_instant_the_greatest_id_is_the_last_and_without_ids_the_greatest_value() -> None:
    nodes = {
        name: build_leaf("values_within", field="n", duration="5s", function=name)
        for name in ("first", "last")
    }
    rows = build_event(1, n=7, id="9"), build_event(1, n=3, id="10")
    named = {"s": {**STREAM, "id": "id"}}
    for events in (rows, rows[::-1]):
        assert answer({"x": nodes["last"]}, *events, **named)["x"][1] == (1, 3.0)
        assert answer({"x": nodes["first"]}, *events, **named)["x"][1] == (1, 7.0)
        assert answer({"x": nodes["last"]}, *events)["x"][1] == (1, 7.0)
        assert answer({"x": nodes["first"]}, *events)["x"][1] == (1, 3.0)


def test_sums_are_exact_whatever_left_the_window() -> None:
    tenths = [build_event(second, n=0.1) for second in range(20, 23)]
    assert compute_values("mean", build_event(1, n=9e15), *tenths)[-2:] == [(20, 0.1), (27, None)]
    assert compute_values("deviation", build_event(1, n=9e15), build_event(2, n=1e-6), *tenths)[-2:] == [
        (21, 0.0),
        (26, None),
    ]
    assert compute_values("deviation", build_event(1, n=1e9), build_event(2, n=1e9 + 2)) == [
        (2, 1.0),
        (6, None),
    ]
    assert compute_values("mean", build_event(1, n=0.1), build_event(2, n=0.2), build_event(3, n=0.6))[2] == (
        3,
        0.3,
    )


def test_a_computed_value() -> None:
    assert compute_values("max", build_event(1, n=2), field="= n * 2") == [(1, 4.0), (6, None)]
    assert compute_values("distinct", build_event(1, c="a"), build_event(2, c="A"), field="= lower(c)") == [
        (1, 1.0),
        (7, 0.0),
    ]


def test_kinds() -> None:
    compared = {
        "first": build_leaf("values_within", field="on", duration="5s", function="first"),
        "isnt": build_node("not", "first"),
    }
    assert answer(compared, build_event(1, on=False)) == {"x": [(None, None), (1, True), (6, None)]}


@pytest.mark.parametrize("function", NUMBERS)
def test_only_numbers_have_a_mean(function: str) -> None:
    nodes = {"x": build_leaf("values_within", field="card", duration="5s", function=function)}
    with pytest.raises(Refused, match=f"card is text; only numbers have a {function}") as refused:
        compile_plan(build_plan(nodes), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port) == ("x", "function")
    assert problem.hint == "declare card as number in the stream, or take distinct, first, last"


def test_it_says_why() -> None:
    nodes = {"x": build_leaf("values_within", field="n", duration="5s", function="mean", where="on == true")}
    events = (
        build_event(1, n=2, on=True),
        build_event(2, on=True),
        build_event(3, n=5, on=True),
        build_event(4, n=9),
    )
    assert explain_at(nodes, 4, *events)[:2] == (
        "`values_within` is 3.5, the mean of `n` of the events with `on == true` in the 5 s before.",
        "ends at 00:00:06, when other events lie in the 5 s before",
    )
    assert list_boundaries(nodes, 4, *events) == [(1, 1), (3, 1)]
    assert explain_at(nodes, 20, *events)[:2] == (
        "`values_within` is unknown because no event with `on == true` and `n` came in the 5 s before.",
        "changes with the next event with `on == true` and `n`",
    )
    few = {"x": build_leaf("values_within", field="n", duration="5s", function="deviation")}
    assert explain_at(few, 1, *events)[0] == (
        "`values_within` is unknown because fewer than two events with `n` came in the 5 s before."
    )
    cards = {"x": build_leaf("values_within", field="card", duration="5s", function="distinct")}
    assert explain_at(cards, 2, build_event(1, card="A"))[0] == (
        "`values_within` is 1, the number of different values of `card` of the events in the 5 s before."
    )


@pytest.mark.deep
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_keeps_the_laws(function: str) -> None:
    plans = [f"x = values_within(tap.gate, {where}3s, {function})" for where in ("", 'tap.card == "A", ')]
    if function not in NUMBERS:
        plans.append(f"x = values_within(tap.card, 2500ms, {function})")
    keeps_its_laws("values_within", plans=plans, histories=3)


def test_it_describes_itself() -> None:
    parameters = [
        ("field", "field"),
        ("where", "predicate"),
        ("duration", "duration"),
        ("function", "choice"),
        ("side", "choice"),
    ]
    assert_declared(
        "values_within",
        category="stream",
        inputs=[("while", ["bool"], 0)],
        parameters=parameters,
        output="number",
    )
    assert operators()["values_within"].keeps_kind == ("first", "last")
