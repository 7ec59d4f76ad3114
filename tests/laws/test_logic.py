"""Kleene's laws, of whole plans: whatever the compiler makes of them, both sides say the same."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.laws.facts import assert_same, build_node, events, few
from tests.referee import JsonEvent

DUAL = {"and": "or", "or": "and"}
given_events = given(events())


@pytest.mark.parametrize("op", DUAL)
@few
@given_events
def test_and_and_or_commute_and_associate(op: str, delivered: list[JsonEvent]) -> None:
    sides = {"left": build_node(op, "x", "yz"), "right": build_node(op, "zx", "y")}
    assert_same(delivered, "left", "right", yz=build_node(op, "y", "z"), zx=build_node(op, "z", "x"), **sides)


@pytest.mark.parametrize("op", DUAL)
@few
@given_events
def test_they_absorb(op: str, delivered: list[JsonEvent]) -> None:
    assert_same(
        delivered, "left", "x", inner=build_node(DUAL[op], "x", "y"), left=build_node(op, "x", "inner")
    )


@pytest.mark.parametrize("op", DUAL)
@few
@given_events
def test_they_distribute(op: str, delivered: list[JsonEvent]) -> None:
    left = {"yz": build_node(DUAL[op], "y", "z"), "left": build_node(op, "x", "yz")}
    right = {
        "xy": build_node(op, "x", "y"),
        "xz": build_node(op, "x", "z"),
        "right": build_node(DUAL[op], "xy", "xz"),
    }
    assert_same(delivered, "left", "right", **left, **right)


@pytest.mark.parametrize("op", DUAL)
@few
@given_events
def test_de_morgan_and_not_not(op: str, delivered: list[JsonEvent]) -> None:
    left = {"both": build_node(op, "x", "y"), "left": build_node("not", "both")}
    opposites = {
        "no": build_node("not", "x"),
        "nay": build_node("not", "y"),
        "right": build_node(DUAL[op], "no", "nay"),
    }
    assert_same(delivered, "left", "right", **left, **opposites)
    assert_same(delivered, "twice", "x", no=opposites["no"], twice=build_node("not", "no"))


@few
@given_events
def test_equality_with_true_is_the_thing_itself_and_inequality_its_opposite(
    delivered: list[JsonEvent],
) -> None:
    assert_same(delivered, "same", "x", same=build_node("equal_to", "x", value=True))
    assert_same(
        delivered, "other", "no", other=build_node("not_equal_to", "x", value=True), no=build_node("not", "x")
    )
    assert_same(
        delivered, "one", "two", one=build_node("equal_to", "x", "y"), two=build_node("equal_to", "y", "x")
    )


@few
@given_events
def test_a_choice_is_logic_where_its_condition_is_known(delivered: list[JsonEvent]) -> None:
    """Where the condition is unknown, so is the choice, even between two that say the same."""
    nodes = {"choice": build_node("when", "x", "y", "z"), "opposite": build_node("not", "x")}
    nodes |= {
        "yes": build_node("and", "x", "y"),
        "no": build_node("and", "opposite", "z"),
        "either": build_node("or", "yes", "no"),
    }
    nodes |= {"some": build_node("or", "x", "opposite"), "known": build_node("when", "some", "either")}
    assert_same(delivered, "choice", "known", **nodes)
