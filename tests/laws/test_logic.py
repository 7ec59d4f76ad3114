"""Kleene's laws, of whole plans: whatever the compiler makes of them, both sides say the same."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.laws.facts import assert_same, events, few, node
from tests.referee import JsonEvent

DUAL = {"and": "or", "or": "and"}
given_events = given(events())


@pytest.mark.parametrize("op", DUAL)
@few
@given_events
def test_and_and_or_commute_and_associate(op: str, delivered: list[JsonEvent]) -> None:
    sides = {"left": node(op, "x", "yz"), "right": node(op, "zx", "y")}
    assert_same(delivered, "left", "right", yz=node(op, "y", "z"), zx=node(op, "z", "x"), **sides)


@pytest.mark.parametrize("op", DUAL)
@few
@given_events
def test_they_absorb(op: str, delivered: list[JsonEvent]) -> None:
    assert_same(delivered, "left", "x", inner=node(DUAL[op], "x", "y"), left=node(op, "x", "inner"))


@pytest.mark.parametrize("op", DUAL)
@few
@given_events
def test_they_distribute(op: str, delivered: list[JsonEvent]) -> None:
    left = {"yz": node(DUAL[op], "y", "z"), "left": node(op, "x", "yz")}
    right = {"xy": node(op, "x", "y"), "xz": node(op, "x", "z"), "right": node(DUAL[op], "xy", "xz")}
    assert_same(delivered, "left", "right", **left, **right)


@pytest.mark.parametrize("op", DUAL)
@few
@given_events
def test_de_morgan_and_not_not(op: str, delivered: list[JsonEvent]) -> None:
    left = {"both": node(op, "x", "y"), "left": node("not", "both")}
    opposites = {"no": node("not", "x"), "nay": node("not", "y"), "right": node(DUAL[op], "no", "nay")}
    assert_same(delivered, "left", "right", **left, **opposites)
    assert_same(delivered, "twice", "x", no=opposites["no"], twice=node("not", "no"))


@few
@given_events
def test_equality_with_true_is_the_thing_itself_and_inequality_its_opposite(
    delivered: list[JsonEvent],
) -> None:
    assert_same(delivered, "same", "x", same=node("equal_to", "x", value=True))
    assert_same(delivered, "other", "no", other=node("not_equal_to", "x", value=True), no=node("not", "x"))
    assert_same(delivered, "one", "two", one=node("equal_to", "x", "y"), two=node("equal_to", "y", "x"))


@few
@given_events
def test_a_choice_is_logic_where_its_condition_is_known(delivered: list[JsonEvent]) -> None:
    """Where the condition is unknown, so is the choice, even between two that say the same."""
    nodes = {"choice": node("when", "x", "y", "z"), "opposite": node("not", "x")}
    nodes |= {
        "yes": node("and", "x", "y"),
        "no": node("and", "opposite", "z"),
        "either": node("or", "yes", "no"),
    }
    nodes |= {"some": node("or", "x", "opposite"), "known": node("when", "some", "either")}
    assert_same(delivered, "choice", "known", **nodes)
