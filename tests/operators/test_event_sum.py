"""event_sum: the running sum of a field."""

from __future__ import annotations

import re

import pytest

from tests.operators.reasons import explain_at
from tests.operators.small import STREAM, answer, assert_declared, build_event, build_leaf, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

SUM = {"sum": build_leaf("event_sum", field="n")}


def test_zero_before_the_first_then_the_sum_so_far() -> None:
    result = answer(SUM, build_event(1, n=2), build_event(3, n=-0.5), build_event(7, n=4))
    assert result == {"x": [(None, 0.0), (1, 2.0), (3, 1.5), (7, 5.5)]}


def test_an_event_without_the_field_adds_nothing() -> None:
    assert answer(SUM, build_event(1), build_event(2, n=3), build_event(4, n=None)) == {
        "x": [(None, 0.0), (2, 3.0)]
    }


def test_only_matching_events_are_added() -> None:
    nodes = {"sum": build_leaf("event_sum", field="n", where="on == true")}
    result = answer(
        nodes,
        build_event(1, n=2),
        build_event(2, n=3, on=True),
        build_event(3, n=5, on=False),
        build_event(4, on=True),
    )
    assert result == {"x": [(None, 0.0), (2, 3.0)]}


def test_events_at_once_are_added_together_and_what_cancels_is_no_change() -> None:
    assert answer(
        SUM, build_event(1, n=2), build_event(1, n=2), build_event(3, n=7), build_event(3, n=-7)
    ) == {"x": [(None, 0.0), (1, 4.0)]}


def test_decimals_are_added_as_they_are_written_in_whatever_order() -> None:
    assert answer(SUM, build_event(1, n=0.1), build_event(2, n=0.2)) == {
        "x": [(None, 0.0), (1, 0.1), (2, 0.3)]
    }
    assert answer(SUM, build_event(1, n=0.1), build_event(2, n=0.2), build_event(3, n=-0.3))["x"][-1] == (
        3,
        0.0,
    )
    tenths = [build_event(second, n=0.1) for second in range(1, 101)]
    assert answer(SUM, *tenths)["x"][-1] == (100, 10.0)
    assert answer(SUM, *reversed(tenths))["x"][30] == (30, 3.0)


def test_a_small_number_is_not_lost_beside_a_large_one() -> None:
    result = answer(SUM, build_event(1, n=1e9), build_event(2, n=0.000001), build_event(3, n=-1e9))
    assert result == {"x": [(None, 0.0), (1, 1e9), (2, 1000000000.000001), (3, 0.000001)]}


def test_copies_with_one_id_are_added_once() -> None:
    result = answer(SUM, build_event(1, id="a", n=2), build_event(1, id="a", n=2), s={**STREAM, "id": "id"})
    assert result == {"x": [(None, 0.0), (1, 2.0)]}


def test_a_text_is_not_summed() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({"sum": build_leaf("event_sum", field="state")}), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port) == ("sum", "field")


def test_it_describes_itself() -> None:
    inputs, parameters = (
        [("while", ["bool"], 0)],
        [("field", "field"), ("where", "predicate"), ("side", "choice")],
    )
    assert_declared(
        "event_sum",
        category="stream",
        inputs=inputs,
        parameters=parameters,
        output="number",
    )


ORDERS = {**STREAM, "fields": {"price": "number", "quantity": "number", "state": "text"}}
COMPUTED = {"sum": build_leaf("event_sum", field="= price * quantity", where='lower(state) == "paid"')}


def test_what_is_computed_is_added() -> None:
    result = answer(
        COMPUTED,
        build_event(1, price=2.5, quantity=4, state="Paid"),
        build_event(2, price=3, quantity=1, state="open"),
        build_event(3, price=1, state="PAID"),
        build_event(4, price=1, quantity=2, state="paid"),
        s=ORDERS,
    )
    assert result == {"x": [(None, 0.0), (1, 10.0), (4, 12.0)]}


def test_why_names_what_is_computed() -> None:
    sentence, ends, _ = explain_at(
        COMPUTED, 2, build_event(1, price=2.5, quantity=4, state="paid"), stream=ORDERS
    )
    assert sentence == "At 00:00:01 the sum of `price * quantity` went from 0 to 10."
    assert ends == 'changes with the next event with `lower(state) == "paid"` and `price * quantity`'


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("= state", "state is text; only numbers have a sum"),
        ("= state * 2", "state is text, and `*` takes number"),
        ("= lower(state)", "lower(state) is text; only numbers have a sum"),
        ("= price *", "the expression ends too early after 'price *'"),
        ("= price > 3", "a condition stands where a value is expected: price > 3"),
        ("=", "the expression is empty"),
    ],
)
def test_what_cannot_be_computed_is_refused(field: str, message: str) -> None:
    with pytest.raises(Refused, match=re.escape(message)):
        compile_plan(build_plan({"sum": build_leaf("event_sum", field=field)}, s=ORDERS), {})


def test_one_meaning_is_one_node() -> None:
    spellings = ["= price*quantity", " =(price) * quantity", "= price  * `quantity`"]
    nodes = {f"n{index}": build_leaf("event_sum", field=field) for index, field in enumerate(spellings)}
    compiled = compile_plan(
        build_plan({**nodes, "plain": build_leaf("event_sum", field="= price")}, s=ORDERS), {}
    )
    assert len({compiled.names[name] for name in nodes}) == 1
    alone = compile_plan(build_plan({"plain": build_leaf("event_sum", field="price")}, s=ORDERS), {})
    assert compiled.names["plain"] == alone.names["plain"]
